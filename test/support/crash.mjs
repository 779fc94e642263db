import { setTimeout as sleep } from 'node:timers/promises';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { Sqlite } from '../../dist/platform/database/sqlite/driver.js';
import { start } from './built-service.mjs';
import { CrashLoad } from './crash-load.mjs';
import { PostgresCluster } from './postgres-cluster.mjs';

/** A log-in that a crash cuts short counts as a failed one; here they all come from one address. */
const QUICK = {
  ARGON2_MEMORY_KIB: '8',
  ARGON2_TIME_COST: '1',
  SESSIONS_PER_USER: '1000',
  LOGIN_FAILURES_PER_ACCOUNT: '1000000',
  LOGIN_FAILURES_PER_ADDRESS: '1000000',
};

const UNDER_LOAD_MS = 1_500;
const ACKNOWLEDGED_FIRST = 50;

/** A SQLite file that can be looked into from outside the service. */
export function sqliteDatabase() {
  const folder = mkdtempSync(join(tmpdir(), 'pet-user-service-crash-'));
  const file = join(folder, 'crash.sqlite');
  const read = (work) => {
    const connection = new Sqlite(file, { readonly: true });
    try {
      return work(connection);
    } finally {
      connection.close();
    }
  };
  return {
    settings: { DATABASE_URL: `sqlite:${file}` },
    query: (sql) => read((connection) => connection.prepare(sql).all()),
    damage: () => {
      const verdict = read((connection) => connection.pragma('integrity_check', { simple: true }));
      return verdict === 'ok' ? [] : [verdict];
    },
    drop: () => rmSync(folder, { recursive: true }),
  };
}

/** A PostgreSQL server of its own. */
export async function postgresDatabase() {
  const cluster = await PostgresCluster.start();
  const query = async (sql) => {
    const client = new pg.Client(cluster.url);
    await client.connect();
    return (await client.query(sql).finally(() => client.end())).rows;
  };
  return {
    isShared: true,
    settings: { DATABASE_URL: cluster.url, POSTGRES_CONNECT_TIMEOUT_MS: '1000' },
    query,
    damage: async () => {
      await query('CREATE EXTENSION IF NOT EXISTS amcheck');
      const indexes = `SELECT bt_index_check(indexrelid, true) FROM pg_index JOIN pg_class ON oid = indexrelid
        WHERE relnamespace = 'public'::regnamespace`;
      return query(indexes).then(
        () => [],
        ({ message }) => [message],
      );
    },
    restart: () => cluster.restartAtOnce(),
    drop: () => cluster.stop(),
  };
}

/** Until the service works at full load, and a moment longer: any moment. */
async function underLoad(load) {
  while (load.acknowledged < ACKNOWLEDGED_FIRST) await sleep(5);
  await sleep(UNDER_LOAD_MS * (0.2 + Math.random()));
}

/**
 * Kills the service under load and starts it again. Clients without an answer repeat what they sent: where several
 * processes may share the database, first to one that was there all along.
 */
export async function killService(database, round) {
  const service = await start({ ...QUICK, ...database.settings });
  const other = database.isShared ? await start({ ...QUICK, ...database.settings }) : undefined;
  const load = new CrashLoad(service.url, round);
  await underLoad(load);
  service.kill('SIGKILL');
  await service.exited;
  await load.stop();
  if (other) {
    await load.repeat(other.url);
  }

  const began = performance.now();
  const next = await start({ ...QUICK, ...database.settings });
  const recoveryMs = performance.now() - began;
  await load.repeat(next.url);
  const broken = [...(await load.broken(database, next.url)), ...(await database.damage())];
  await next.stop();
  await other?.stop();
  return { ...load, broken, recoveryMs };
}

/** Restarts PostgreSQL at once, as after a power cut, under a service that runs on. */
export async function restartDatabase(database, round) {
  const service = await start({ ...QUICK, ...database.settings });
  const load = new CrashLoad(service.url, round);
  await underLoad(load);
  await database.restart();
  const began = performance.now();
  while ((await createProbe(service.url)) !== 201) await sleep(5);
  const recoveryMs = performance.now() - began;
  await sleep(100);
  await load.stop();
  await load.repeat(service.url);
  const broken = [...(await load.broken(database, service.url)), ...(await database.damage())];
  await service.stop();
  return { ...load, broken, recoveryMs };
}

/** Preloaded by a service that is to end at the very moment when all is committed and the answer would be sent. */
const DIES_BEFORE_IT_ANSWERS = `import { ServerResponse } from 'node:http';
  for (const name of ['writeHead', 'write', 'end']) {
    const original = ServerResponse.prototype[name];
    ServerResponse.prototype[name] = function (...given) {
      if (this.req.method === 'POST') process.kill(process.pid, 'SIGKILL');
      return original.apply(this, given);
    };
  }`;

/**
 * Sends a creation to a service that stores it and dies before it answers; then repeats it, to a process that was there
 * all along, if there can be one, and to the next one. Answers their answers, and what the first one did.
 */
export async function loseAnswer(database, path, options) {
  const settings = { ...QUICK, ...database.settings };
  const preload = `data:text/javascript,${encodeURIComponent(DIES_BEFORE_IT_ANSWERS)}`;
  const dying = await start(settings, ['--import', preload]);
  const others = database.isShared ? [await start(settings)] : [];
  const first = await fetch(dying.url + path, options).catch(() => undefined);
  const { signal } = await dying.exited;
  const notes = await database.query('SELECT key FROM idempotent_answer');
  others.push(await start(settings));
  const repeats = [];
  for (const { url } of others) {
    const answer = await fetch(url + path, options);
    const isReplayed = answer.headers.get('Idempotency-Replayed') === 'true';
    repeats.push({ status: answer.status, isReplayed, text: await answer.text() });
  }
  await Promise.all(others.map(({ stop }) => stop()));
  return { first, signal, notes: notes.length, repeats };
}

async function createProbe(url) {
  const headers = { 'Content-Type': 'application/json' };
  return (await fetch(`${url}/v1/pet`, { method: 'POST', headers, body: '{"name":"probe"}' })).status;
}
