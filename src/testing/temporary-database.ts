import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';

/** An empty database that is gone after `drop`. */
export interface TemporaryDatabase {
  /** For DATABASE_URL. */
  url: string;
  drop: () => Promise<void>;
}

/** A SQLite file in a folder of its own. */
export function temporaryFile(folder = mkdtempSync(join(tmpdir(), 'pet-user-service-'))): TemporaryDatabase {
  return {
    url: `sqlite:${folder}/test.sqlite`,
    drop: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })),
  };
}

/** A database on a PostgreSQL server; `address` is of one whose user may create databases. */
export async function temporaryPostgres(address: string): Promise<TemporaryDatabase> {
  const name = `pus_test_${randomUUID().replaceAll('-', '')}`;
  const url = new URL(address);
  url.pathname = name;
  const run = async (sql: string) => {
    const client = new Client(address);
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  await run(`CREATE DATABASE ${name}`);
  return { url: url.href, drop: () => run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}
