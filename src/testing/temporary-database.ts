import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';

/** An empty database that is gone after `drop`. */
export interface TemporaryDatabase {
  /** For DATABASE_URL. */
  url: string;
  drop: () => Promise<void>;
}

/** A SQLite file in a folder of its own. */
export function temporaryFile(folder = ownFolder()): TemporaryDatabase {
  return {
    url: `sqlite:${folder}/test.sqlite`,
    drop: () => Promise.resolve(remove(folder)),
  };
}

const PREFIX = `pet-user-service-${hostname()}-`;
const folders = new Set<string>();

/** It goes with the process at the latest; what processes that were killed have left goes before the first is made. */
function ownFolder(): string {
  if (folders.size === 0) {
    process.once('exit', () => folders.forEach(remove));
    readdirSync(tmpdir())
      .filter((name) => name.startsWith(PREFIX) && !isAlive(Number(name.slice(PREFIX.length).split('-')[0])))
      .forEach((name) => remove(join(tmpdir(), name)));
  }
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  folders.add(folder);
  return folder;
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
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
