import { DatabaseUnusable } from '../database-unusable';

/** What we use of better-sqlite3 ourselves; the rest is TypeORM's. */
export interface SqliteConnection {
  readonly inTransaction: boolean;
  readonly open: boolean;
  prepare(sql: string): SqliteStatement;
  pragma(text: string, options?: { simple: boolean }): unknown;
  exec(sql: string): unknown;
  close(): void;
}

export interface SqliteStatement {
  /** Whether it answers rows. */
  readonly reader: boolean;
  /** Whether it leaves the database as it is. */
  readonly readonly: boolean;
  safeIntegers(on: boolean): this;
  /** Whether a row is an array of its values. */
  raw(on: boolean): this;
  columns(): { name: string }[];
  all<Row = Record<string, unknown>>(...parameters: unknown[]): Row[];
  iterate(...parameters: unknown[]): Iterable<Record<string, unknown>>;
  run(...parameters: unknown[]): { changes: number; lastInsertRowid?: number };
}

type SqliteDriver = new (
  file: string,
  options?: { readonly?: boolean; fileMustExist?: boolean; timeout?: number },
) => SqliteConnection;

/** better-sqlite3 12 aborts on current Node 24; 13 (Node-API) crashes on Node 20. See docs/decisions.md. */
const name = Number(process.versions.node.split('.')[0]) >= 22 ? 'better-sqlite3-napi' : 'better-sqlite3';

/** Loaded when a file is opened, since PostgreSQL needs none. Throws DatabaseUnusable where there is none. */
export const Sqlite = function (...args: ConstructorParameters<SqliteDriver>) {
  try {
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    return new (require(name) as SqliteDriver)(...args);
  } catch (error) {
    throw isMissing(error)
      ? new DatabaseUnusable(
          `There is no SQLite driver for this Node (${process.version}); the packages were installed with another. ` +
            'Install them with this one: npm ci.',
        )
      : error;
  }
} as unknown as SqliteDriver;

/** Not installed, not built, or built for another Node. */
const isMissing = (error: unknown) =>
  /^(MODULE_NOT_FOUND|ERR_DLOPEN_FAILED)$/.test((error as NodeJS.ErrnoException).code ?? '') ||
  (error as Error).message.startsWith('Could not locate the bindings file');
