import { getMetadataArgsStorage, type ValueTransformer } from 'typeorm';
import { parseJson, writeJson } from '../common/json';

/** JSON in a text column; integers keep every digit. */
export const jsonColumn: ValueTransformer = {
  to: (value: unknown) => (value == null ? null : writeJson(value)),
  from: (text: string | null) => (text === null ? null : parseJson(text)),
};

/** The columns of an entity, all or some in their order, as its decorators say: for SQL that is written by hand. */
export class Columns<T extends object, K extends keyof T = keyof T> {
  private readonly columns: { property: K; name: string; type: string; transformer: ValueTransformer | undefined }[];

  constructor(
    private readonly entity: new () => T,
    properties?: readonly K[],
  ) {
    const all = getMetadataArgsStorage().filterColumns(entity);
    const chosen = properties?.map((property) => all.find(({ propertyName }) => propertyName === property)!) ?? all;
    this.columns = chosen.map(({ propertyName, options: { name = propertyName, type, transformer } }) => ({
      property: propertyName as K,
      name,
      type: type as string,
      transformer: transformer as ValueTransformer | undefined,
    }));
  }

  /** The quoted name. */
  get table(): string {
    return `"${getMetadataArgsStorage().tables.find(({ target }) => target === this.entity)!.name}"`;
  }

  get properties(): K[] {
    return this.columns.map(({ property }) => property);
  }

  /** Their quoted names. */
  get names(): string[] {
    return this.columns.map(({ name }) => `"${name}"`);
  }

  get types(): string[] {
    return this.columns.map(({ type }) => type);
  }

  /** What is stored of an entity, in the order of `names`. */
  values(entity: Pick<T, K>): unknown[] {
    return this.columns.map(({ property, transformer }) =>
      transformer ? (transformer.to(entity[property]) as unknown) : entity[property],
    );
  }

  /** Of the entity of a row, what these columns hold. */
  read(row: Record<string, unknown>): Pick<T, K> {
    const entity = new this.entity();
    for (const { property, name, transformer } of this.columns) {
      entity[property] = (transformer ? transformer.from(row[name]) : row[name]) as T[K];
    }
    return entity;
  }
}
