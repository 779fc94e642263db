import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Client } from 'pg';
import { loadConfig } from '../../src/platform/config';
import { openDatabase } from '../../src/platform/database';
import { entities } from '../../src/entities';
import {
  temporaryFile as sqliteFile,
  temporaryPostgres,
  type TemporaryDatabase as TestDatabase,
} from '../../src/testing';

/** Server whose user may create databases; without it the suites run on SQLite. */
const server = process.env.TEST_DATABASE_URL;

/** With it, the suites run as a role that may only read and write rows. */
const asLeastRights = process.env.TEST_LEAST_RIGHTS === '1';

export const onPostgres = server !== undefined;

/** An empty database of the test's own. */
export async function createTestDatabase(): Promise<TestDatabase> {
  if (!server) {
    return sqliteFile();
  }
  const database = await temporaryPostgres(server);
  return asLeastRights ? { ...database, url: await withLeastRights(database.url) } : database;
}

/** The same database, which stays when a server on it stops. */
export const lasting = (database: TestDatabase): TestDatabase => ({ ...database, drop: () => Promise.resolve() });

/**
 * Makes the roles of docs/least-rights.sql, and has the owner of the database migrate it. Answers the address for the
 * role that may only read and write rows.
 */
export async function withLeastRights(url: string): Promise<string> {
  const as = (username: string) => Object.assign(new URL(url), { username }).href;
  for (const role of ['pets_owner', 'pets_service']) {
    // Roles belong to the whole server, and other suites make them too.
    await run(url, `CREATE ROLE ${role} LOGIN`).catch(() => undefined);
  }
  await run(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} OWNER TO pets_owner`);
  await run(as('pets_owner'), readFileSync(resolve('docs/least-rights.sql'), 'utf8'));
  const { database } = loadConfig({ DATABASE_URL: as('pets_owner') });
  await (await openDatabase({ database }, entities)).onApplicationShutdown();
  return as('pets_service');
}

async function run(url: string, sql: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

export { sqliteFile, type TestDatabase };
