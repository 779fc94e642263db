/** What we use of better-sqlite3 ourselves; the rest is TypeORM's. */
export interface SqliteConnection {
  pragma(text: string, options?: { simple: boolean }): unknown;
  backup(target: string, options: { progress: () => number }): Promise<unknown>;
  exec(sql: string): unknown;
  close(): void;
}

type SqliteDriver = new (
  file: string,
  options?: { readonly?: boolean; fileMustExist?: boolean; timeout?: number },
) => SqliteConnection;

/** better-sqlite3 12 aborts on current Node 24; 13 (Node-API) crashes on Node 20. See docs/decisions.md. */
const name = Number(process.versions.node.split('.')[0]) >= 22 ? 'better-sqlite3-napi' : 'better-sqlite3';

// eslint-disable-next-line @typescript-eslint/no-require-imports
export const Sqlite = require(name) as SqliteDriver;
