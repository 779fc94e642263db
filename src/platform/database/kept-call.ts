import { FindOperator, Raw, type EntityMetadata, type FindManyOptions } from 'typeorm';
import type { StatementResult, CarryOut } from './engine';
import { keep, keptSql, placeholder, TAKE, write, type Kept, type Method } from './kept-sql';
import { plainColumns, type Column } from './plain-columns';

type Members = Record<string, unknown>;
const MOST_AT_ONCE = 1_024;
const COMPARISONS = { equal: '=', moreThan: '>', moreThanOrEqual: '>=', lessThan: '<', lessThanOrEqual: '<=' };
const OPERATORS = { ...COMPARISONS, in: 'IN', isNull: 'IS NULL' };
/**
 * A call of TypeORM's EntityManager on an entity of plain columns. Its shape is all of it but the values: TypeORM
 * writes the SQL of a shape once, for the same call with placeholders. What is not understood here is left to TypeORM.
 */
export class KeptCall {
  private readonly columns: ReadonlyMap<string, Column>;
  private readonly values: unknown[] = [];
  private shape: string;
  private isUnderstood: boolean;
  private placeholders = 0;

  constructor(
    private readonly method: Method,
    private readonly metadata: EntityMetadata,
    private readonly carryOut: CarryOut,
  ) {
    const columns = plainColumns(metadata);
    this.columns = columns ?? new Map<string, Column>();
    this.shape = `${method} ${metadata.tablePath}`;
    this.isUnderstood = keptSql.isOn && columns !== undefined && metadata.dataSource.subscribers.length === 0;
  }

  /** The rows of a find. Undefined, as with the others, where the call is left to TypeORM. */
  async entities({ where, order, take, select, ...others }: FindManyOptions): Promise<object[] | undefined> {
    const { primaryColumns } = this.metadata;
    const keys = primaryColumns.filter(({ propertyName }) => !select || propertyName in select);
    this.demand(!select || Object.keys(select).length > 0);
    // Of rows with the same keys TypeORM makes one entity.
    this.demand(keys.length === primaryColumns.length || keys.length === 0);
    this.demand(Object.values(others).every((option) => option === undefined));
    this.addNames(select, /^true$/);
    this.addNames(order, /^(asc|desc|1|-1)$/i);
    this.addConditions(where);
    if (take !== undefined) {
      this.demand(Number.isSafeInteger(take) && take > 0);
      this.shape += ' take';
      this.add(take);
    }
    const kept = await this.kept(() => [{ where: this.conditions(where), order, select, take: take && TAKE }]);
    return kept && this.entitiesOf(kept, (await this.send(kept)).records, select);
  }

  /** The rows of a count or exists. */
  async rows({ where, ...others }: FindManyOptions): Promise<unknown[][] | undefined> {
    this.demand(Object.values(others).every((option) => option === undefined));
    this.addConditions(where);
    const kept = await this.kept(() => [{ where: this.conditions(where) }]);
    return kept && (await this.send(kept)).records;
  }

  async insert(entities: object[]): Promise<StatementResult | undefined> {
    const told = this.metadata.getInsertionReturningColumns();
    this.demand(told.length === 0 || (entities.length === 1 && told.every(isNumbered)));
    this.demand(entities.length <= MOST_AT_ONCE);
    const properties = [...this.columns.keys()];
    entities.reduce((before, entity) => this.addValues(entity, properties, before), '');
    const kept = await this.kept(() => [entities.map((entity) => this.assignments(entity, properties))]);
    return kept && this.send(kept);
  }

  async update(criteria: object, entity: object): Promise<StatementResult | undefined> {
    const properties = definedIn(entity);
    this.demand(properties.every((property) => this.columns.has(property)));
    this.addConditions(criteria);
    this.addValues(entity, properties);
    const kept = await this.kept(() => [this.conditions(criteria), this.assignments(entity, properties)]);
    return kept && this.send(kept);
  }

  async delete(criteria: object): Promise<StatementResult | undefined> {
    this.addConditions(criteria);
    const kept = await this.kept(() => [this.conditions(criteria)]);
    return kept && this.send(kept);
  }

  private demand(isUnderstood: boolean): void {
    this.isUnderstood &&= isUnderstood;
  }

  private addNames(members: object | undefined, understood: RegExp): void {
    for (const [property, value] of Object.entries(members ?? {})) {
      this.demand(this.columns.has(property) && understood.test(String(value)));
      this.shape += ` ${property}:${value}`;
    }
  }

  private add(value: unknown): void {
    this.demand(value === null || isScalar(value));
    this.values.push(value);
  }

  private addConditions(where: object | undefined): void {
    this.demand(where === undefined || isMembers(where));
    for (const property in where) {
      const column = this.columns.get(property);
      const { operator, operands } = conditionOf((where as Members)[property]);
      if (!column || !operands) {
        return this.demand(false);
      }
      this.shape += ` ${property}${operator}${operands.length}`;
      for (const operand of operands) {
        const value = stored(column, operand);
        this.demand(value !== null);
        this.add(value);
      }
    }
  }

  private conditions(where: object | undefined): Members | undefined {
    return (
      where &&
      mapped(where, (given) => {
        const { operator, operands } = conditionOf(given);
        const names = operands!.map(() => this.placeholder()).join(', ');
        return Raw((column) => `${column} ${operator} ${operator === 'IN' ? `(${names})` : names}`);
      })
    );
  }

  /** `before` is what the entity before it answered: of a list most are alike. */
  private addValues(entity: object, properties: string[], before = ''): string {
    this.demand(isMembers(entity));
    let names = ';';
    for (const property of this.isUnderstood ? properties : []) {
      const value = this.valueOf(entity, property);
      if (value !== undefined) {
        names += ` ${property}`;
        this.add(value);
      }
    }
    this.shape += names === before ? '=' : names;
    return names;
  }

  private assignments(entity: object, properties: string[]): Members {
    const given = properties.filter((property) => this.valueOf(entity, property) !== undefined);
    return Object.fromEntries(
      given.map((property) => {
        const name = this.placeholder();
        return [property, () => name];
      }),
    );
  }

  private valueOf(entity: object, property: string): unknown {
    const { driver } = this.metadata.dataSource;
    return driver.preparePersistentValue((entity as Members)[property], this.columns.get(property)!);
  }

  private placeholder(): string {
    return placeholder(this.placeholders++);
  }

  private async kept(call: () => unknown[]): Promise<Kept | undefined> {
    const { metadata, method, shape } = this;
    return this.isUnderstood ? keep(metadata.dataSource, shape, () => write(metadata, method, call())) : undefined;
  }

  private send({ sql, order }: Kept): Promise<StatementResult> {
    const parameters = order.map((n) => this.values[n]);
    return this.carryOut(sql, parameters);
  }

  /** TypeORM may read more than is selected, to put it in order; of NULL in all that is selected it makes no entity. */
  private entitiesOf({ columns }: Kept, rows: unknown[][], select: object | undefined): object[] {
    const { driver } = this.metadata.dataSource;
    const members = select ? columns.filter(({ name }) => name in select) : columns;
    return rows
      .filter((row) => members.some(({ n }) => row[n] !== null))
      .map((row) => {
        const entity = this.metadata.create(undefined, { fromDeserializer: true }) as Members;
        for (const { column, n, name, isAsStored } of members) {
          entity[name] = isAsStored ? row[n] : driver.prepareHydratedValue(row[n], column);
        }
        return entity;
      });
  }
}

const isNumbered = ({ generationStrategy }: Column) => generationStrategy === 'increment';

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof FindOperator);

const isScalar = (value: unknown) =>
  typeof value === 'string' || typeof value === 'bigint' || typeof value === 'boolean' || Number.isFinite(value);

const definedIn = (all: object) => Object.keys(all).filter((name) => (all as Members)[name] !== undefined);

const mapped = (members: object, map: (value: unknown) => unknown): Members =>
  Object.fromEntries(Object.entries(members).map(([property, value]) => [property, map(value)]));

const stored = ({ transformer }: Column, value: unknown): unknown =>
  Array.isArray(transformer)
    ? transformer.reduce<unknown>((all, one) => one.to(all), value)
    : transformer
      ? transformer.to(value)
      : value;

/**
 * Without operands where it is not understood. As many as a power of two, so that few shapes serve lists of all
 * lengths.
 */
function conditionOf(given: unknown): { operator: string; operands?: unknown[] } {
  if (!(given instanceof FindOperator)) {
    return { operator: '=', operands: [given] };
  }
  const operator = OPERATORS[given.type as keyof typeof OPERATORS] ?? '';
  if (operator === 'IS NULL') {
    return { operator, operands: [] };
  }
  const operands: unknown = operator === 'IN' ? given.value : [given.value];
  const isUnderstood = operator && !given.child && Array.isArray(operands) && operands.length <= MOST_AT_ONCE;
  return { operator, operands: isUnderstood && operands.length > 0 ? padded(operands) : undefined };
}

function padded(operands: unknown[]): unknown[] {
  const length = 2 ** Math.ceil(Math.log2(operands.length));
  return [...operands, ...Array<unknown>(length - operands.length).fill(operands.at(-1))];
}
