import { randomUUID } from 'node:crypto';
import pg from 'pg';

/** PostgreSQL whose user may create databases; the tests that take it are left out without it. */
export const server = process.env.TEST_DATABASE_URL;

/** Runs one statement on the database at this address. */
export async function query(url, sql) {
  const client = new pg.Client(url);
  await client.connect();
  return (await client.query(sql).finally(() => client.end())).rows;
}

/** An empty database of the test's own. */
export async function createDatabase() {
  const name = `pus_test_${randomUUID().replaceAll('-', '')}`;
  await query(server, `CREATE DATABASE ${name}`);
  const url = Object.assign(new URL(server), { pathname: name }).href;
  return { url, drop: () => query(server, `DROP DATABASE ${name} WITH (FORCE)`) };
}
