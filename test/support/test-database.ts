import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';

export interface TestDatabase {
  url: string;
  drop: () => Promise<void>;
}

/** Server whose user may create databases; without it the suites run on SQLite. */
const server = process.env.TEST_DATABASE_URL;

export const onPostgres = server !== undefined;

/** An empty database of the test's own. */
export const createTestDatabase = (): Promise<TestDatabase> =>
  server ? onServer(server) : Promise.resolve(sqliteFile());

/** The same database, which stays when a server on it stops. */
export const lasting = (database: TestDatabase): TestDatabase => ({ ...database, drop: () => Promise.resolve() });

export function sqliteFile(folder = mkdtempSync(join(tmpdir(), 'pet-user-service-'))): TestDatabase {
  return {
    url: `sqlite:${folder}/test.sqlite`,
    drop: () => Promise.resolve(rmSync(folder, { recursive: true })),
  };
}

async function onServer(address: string): Promise<TestDatabase> {
  const name = `pus_test_${randomUUID().replaceAll('-', '')}`;
  const url = new URL(address);
  url.pathname = name;
  const run = async (sql: string) => {
    const client = new Client(address);
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  await run(`CREATE DATABASE ${name}`);
  return { url: url.href, drop: () => run(`DROP DATABASE ${name} WITH (FORCE)`) };
}
