/** What we use of better-sqlite3 ourselves; the rest is TypeORM's. */
export interface SqliteConnection {
  prepare(sql: string): SqliteStatement;
  pragma(text: string, options?: { simple: boolean }): unknown;
  backup(target: string, options: { progress: () => number }): Promise<unknown>;
  exec(sql: string): unknown;
  close(): void;
}

export interface SqliteStatement {
  /** Whether it answers rows. */
  readonly reader: boolean;
  safeIntegers(on: boolean): this;
  all(...parameters: unknown[]): Record<string, unknown>[];
  run(...parameters: unknown[]): { changes: number; lastInsertRowid?: number };
}

type SqliteDriver = new (
  file: string,
  options?: { readonly?: boolean; fileMustExist?: boolean; timeout?: number },
) => SqliteConnection;

/** better-sqlite3 12 aborts on current Node 24; 13 (Node-API) crashes on Node 20. See docs/decisions.md. */
const name = Number(process.versions.node.split('.')[0]) >= 22 ? 'better-sqlite3-napi' : 'better-sqlite3';

// eslint-disable-next-line @typescript-eslint/no-require-imports
export const Sqlite = require(name) as SqliteDriver;
