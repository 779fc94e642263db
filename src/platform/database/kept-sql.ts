import { EntityManager, type EntityMetadata } from 'typeorm';
import { isPostgres } from './dialect';
import { isAsStored, type Column } from './plain-columns';
import { derived } from './runners';

/** Switched off, TypeORM does it all: with the same outcome, several times dearer. */
export const keptSql = { isOn: true };

export type Method = 'find' | 'findOne' | 'insert' | 'update' | 'delete' | 'exists' | 'count';

/** SQL as TypeORM wrote it, which values of a call it takes in which order, and the columns of its rows. */
export interface Kept {
  sql: string;
  order: number[];
  columns: ColumnRead[];
}

/** The nth of a row. */
interface ColumnRead {
  n: number;
  name: string;
  column: Column;
  /** Whether an entity has the value that the database has. */
  isAsStored: boolean;
}

/** Stands in a call for its nth value. */
export const placeholder = (n: number) => `:kept${n}`;
const PLACEHOLDERS = /:kept(\d+)/g;
/** Stands for the last value, which is the number of rows; TypeORM writes it into the text. */
export const TAKE = 1_234_567_890;

const MOST_KEPT = 500;
type DataSource = EntityMetadata['dataSource'];
type All = Map<string, Promise<Kept | undefined>>;
const keptOf = new WeakMap<DataSource, All>();

/** What `write` has TypeORM write, once for a shape; when there are too many, it begins anew. */
export function keep(dataSource: DataSource, shape: string, write: () => Promise<Kept | undefined>) {
  let all = keptOf.get(dataSource);
  if (!all || all.size >= MOST_KEPT) {
    all = new Map() as All;
    keptOf.set(dataSource, all);
  }
  let kept = all.get(shape);
  if (!kept) {
    kept = write();
    all.set(shape, kept);
  }
  return kept;
}

/** What TypeORM writes for a call whose values are placeholders, heard by a runner that carries out nothing. */
export async function write(metadata: EntityMetadata, method: Method, call: unknown[]): Promise<Kept | undefined> {
  const { dataSource, target } = metadata;
  let kept: Kept | undefined;
  const query = (sql: string, parameters: unknown[] = []) => {
    kept = parameters.length === 0 ? read(metadata, sql) : undefined;
    throw new Error('It is written, and not carried out.');
  };
  const { manager } = derived(dataSource, dataSource.driver.createQueryRunner('slave'), { query });
  // private: EntityManager.prototype
  const methods = EntityManager.prototype as unknown as Record<Method, (...given: unknown[]) => Promise<unknown>>;
  await methods[method].call(manager, target, ...call).catch(() => undefined);
  return kept;
}

function read(metadata: EntityMetadata, written: string): Kept {
  const isNumbered = isPostgres(metadata);
  const order: number[] = [];
  const last = placeholder(written.match(PLACEHOLDERS)?.length ?? 0);
  const sql = written.replace(`LIMIT ${TAKE}`, `LIMIT ${last}`).replace(PLACEHOLDERS, (_, n) => {
    const count = order.push(Number(n));
    return isNumbered ? `$${count}` : '?';
  });
  const byName = new Map(metadata.columns.map((column) => [column.databaseName, column]));
  const columns = [...sql.matchAll(/"\."([^"]+)" AS "/g)].map(([, name], n) => {
    const column = byName.get(name!)!;
    return { n, name: column.propertyName, column, isAsStored: isAsStored(column) };
  });
  return { sql, order, columns };
}
