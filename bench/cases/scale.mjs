// What a million users online would take: sizes with a million rows, the CPU each operation costs service and
// database, and a simulation with these times, held first against what four processes really do here.
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { call, http, load } from '../lib/load.mjs';
import { options } from '../lib/options.mjs';
import { keep } from '../lib/results.mjs';
import { startServer } from '../lib/servers.mjs';
import { simulate } from '../lib/simulation.mjs';
import { PostgresCluster } from '../../test/support/postgres-cluster.mjs';

const { ms = 4_000, count = 1_000_000 } = options;
const CONNECTIONS = 64;
const PET = { name: 'Rex', owner_id: 'o-1', species: 'dog', breed: 'Beagle' };
const TICK_MS = 10;
/** Far from the numbers that the service gives. */
const FIRST_USER = 100_000_000;

const cluster = await PostgresCluster.start();
const database = new pg.Client(cluster.url);
await database.connect();
const rows = async (sql, parameters) => (await database.query(sql, parameters)).rows;
const settings = { DATABASE_URL: cluster.url, LOG_LEVEL: 'error', LOGIN_FAILURES_PER_ADDRESS: '1000000' };

try {
  const server = await startServer('product', { cores: '0,1', settings });
  const users = Array.from({ length: CONNECTIONS }, (_, n) => ({ username: `tess-${n}`, password: 'right' }));
  // Who logs in again and again loses his older sessions.
  const guests = Array.from({ length: 8 }, (_, n) => ({ username: `guest-${n}`, password: 'right' }));
  await call(server.port, http('POST', '/v2/user/createWithList', { body: [...users, ...guests] }));
  const tokens = [];
  for (const { username } of users) {
    tokens.push(JSON.parse((await call(server.port, logIn(username))).text));
  }

  await fill();
  const sizes = await measureSizes();
  console.table(sizes);
  const queries = await measureQueries();
  console.table(queries);

  const operations = {
    'read pet': { requestOf: (c, n) => http('GET', `/v1/pet/${1 + ((c * 7_919 + n * 104_729) % count)}`) },
    'create pet': { requestOf: () => http('POST', '/v1/pet', { body: PET }), status: 201, isWrite: true },
    'update pet': { requestOf: (c) => http('PUT', '/v2/pet', update(c, tokens[c])), isWrite: true },
    'log in': { requestOf: (c) => logIn(guests[c].username), isWrite: true, connections: 8 },
  };
  const costs = {};
  for (const [name, operation] of Object.entries(operations)) {
    costs[name] = await measureCosts(server, operation);
  }
  console.table(costs);
  const flushMs = await measureFlush();
  console.log(`A commit of one row waits ${flushMs.toFixed(2)} ms for the disk.`);
  await server.stop();

  const four = await startServer('product', { cores: '0,1', settings: { ...settings, WEB_CONCURRENCY: '4' } });
  const comparison = [];
  for (const [name, operation] of Object.entries(operations)) {
    const real = await rateAndLatency(four, operation);
    const { connections = CONNECTIONS } = operation;
    const simulated = simulate({
      machine: { processes: 4, cores: 2, flushMs },
      mix: [asMix(name, 1)],
      clients: connections,
    });
    comparison.push({
      operation: name,
      rate: real.rate,
      'rate, simulated': simulated.rate,
      'mean ms': real.mean,
      'mean ms, simulated': simulated.mean,
    });
  }
  await four.stop();
  console.table(comparison);

  const plan = planFor();
  console.log(plan);
  keep('scale', { ms }, { sizes, queries, costs, flushMs, comparison, plan });

  function asMix(name, share) {
    const { clientMs: client, serviceMs, databaseMs } = costs[name];
    // All of a log-in's work but its hash is as small as that of an update.
    const beside = name === 'log in' ? serviceMs - costs['update pet'].serviceMs : 0;
    return {
      share,
      client,
      service: serviceMs - beside,
      beside,
      database: databaseMs,
      isWrite: operations[name].isWrite,
    };
  }

  function planFor() {
    const [online, requests, sessionSeconds] = [1_000_000, 20_000, 3_600];
    const logIns = online / sessionSeconds;
    const others = requests - logIns;
    const rates = {
      'read pet': 0.75 * others,
      'update pet': 0.15 * others,
      'create pet': 0.1 * others,
      'log in': logIns,
    };
    const sum = (member) =>
      Object.entries(rates).reduce((all, [name, rate]) => all + (rate * costs[name][member]) / 1e3, 0);
    // A user asks every 50 s; the use of a session is written when the last writing is a minute old.
    const lastUses = online / (60 + online / requests);
    const serviceCores = sum('serviceMs');
    const databaseCores = sum('databaseMs') + (lastUses * queries['note the use of a session'].cpuMs) / 1e3;
    const processes = Math.ceil(serviceCores / 0.6);
    const simulated = simulate({
      machine: { processes, serviceCores: processes, databaseCores: Math.ceil(databaseCores / 0.6), flushMs },
      mix: Object.entries(rates).map(([name, rate]) => asMix(name, rate)),
      rate: requests,
      ms: 5_000,
    });
    return {
      rates,
      lastUses,
      serviceCores,
      hashingCores: (logIns * asMix('log in', 1).beside) / 1e3,
      processes,
      databaseCores,
      walMBps: Object.entries(rates).reduce((all, [name, rate]) => all + (rate * costs[name].walBytes) / 1e6, 0),
      simulated,
    };
  }
} finally {
  await database.end();
  await cluster.stop();
}

function logIn(username) {
  return http('GET', `/v2/user/login?username=${username}&password=right`);
}

function update(connection, token) {
  const body = { id: 1 + connection, name: 'Max', photoUrls: [], tags: [{ id: 1, name: 'calm' }], status: 'sold' };
  return { body, headers: { Authorization: `Bearer ${token}` } };
}

/** As many users, each with a session and a pet. */
async function fill() {
  await rows(
    `INSERT INTO "user" ("id", "version", "username", "first_name", "email", "password_hash")
     SELECT n, 1, 'user-' || n, 'Tess', 'user-' || n || '@example.org', repeat('x', 97)
     FROM generate_series($2::int, $2::int + $1::int - 1) AS n`,
    [count, FIRST_USER],
  );
  await rows(
    `INSERT INTO "session" ("token_hash", "user_id", "nth", "last_used_at", "expires_at")
     SELECT encode(sha256(n::text::bytea), 'hex'), n, n, $2::bigint, $2::bigint + 86400000 + n
     FROM generate_series($3::int, $3::int + $1::int - 1) AS n`,
    [count, Date.now(), FIRST_USER],
  );
  await rows(
    `INSERT INTO pet ("id", "version", "name", "owner_id", "species", "breed", "status", "photo_urls")
     SELECT nextval('pet_id_seq'), 1, 'Rex', 'o-' || n / 3, (ARRAY['dog', 'cat', 'bird'])[1 + n % 3], 'breed-' || n % 200,
       (ARRAY['available', 'pending', 'sold'])[1 + n % 3], '[]'
     FROM generate_series(1, $1::int) AS n`,
    [count],
  );
  await rows('VACUUM ANALYZE');
  await rows('CHECKPOINT');
}

async function measureSizes() {
  const found = await rows(
    `SELECT relname AS name, pg_relation_size(oid) AS bytes FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i') AND pg_relation_size(oid) > 1e6 ORDER BY 1`,
  );
  return Object.fromEntries(
    found.map(({ name, bytes }) => [name, { MB: Math.round(bytes / 1e6), bytesPerRow: Math.round(bytes / count) }]),
  );
}

/** Milliseconds, and those of CPU in the database, of single statements on so many rows. */
async function measureQueries() {
  const [{ pid }] = await rows('SELECT pg_backend_pid() AS pid');
  const hash = `encode(sha256((${FIRST_USER} + $1::int)::text::bytea), 'hex')`;
  const statements = {
    'find a session': `SELECT "user_id", "last_used_at", "expires_at" FROM "session" WHERE "token_hash" = ${hash}`,
    'note the use of a session': `UPDATE "session" SET "last_used_at" = "last_used_at" + 1 WHERE "token_hash" = ${hash}`,
    'find a user by name': `SELECT * FROM "user" WHERE "username" = 'user-' || (${FIRST_USER} + $1::int)`,
    'read a pet': 'SELECT * FROM pet WHERE "id" = 1 + $1::int',
    'a page of 20 pets by status': `SELECT * FROM pet WHERE "status" = 'sold' AND "id" > $1::int ORDER BY "id" LIMIT 20`,
  };
  const measured = {};
  for (const [name, text] of Object.entries(statements)) {
    const times = 4_000;
    const run = (n) => database.query({ name, text, values: [(n * 104_729) % (count - 1_000)] });
    for (let n = 0; n < 500; n++) await run(n);
    const [began, cpu] = [performance.now(), cpuMsOf(pid)];
    for (let n = 0; n < times; n++) await run(n);
    measured[name] = { ms: (performance.now() - began) / times, cpuMs: (cpuMsOf(pid) - cpu) / times };
  }
  return measured;
}

/** What one request costs in CPU, here and there, and in bytes of the log. */
async function measureCosts(server, { requestOf, status = 200, connections = CONNECTIONS }) {
  await load({ port: server.port, connections, ms: 1_000, status, requestOf });
  const before = { client: process.cpuUsage(), service: server.cpuMs(), database: databaseCpuMs(), wal: await walAt() };
  const { done, ms: took } = await load({ port: server.port, connections, ms, status, requestOf });
  const { user, system } = process.cpuUsage(before.client);
  return {
    rate: (done * 1_000) / took,
    clientMs: (user + system) / 1_000 / done,
    serviceMs: (server.cpuMs() - before.service) / done,
    databaseMs: (databaseCpuMs() - before.database) / done,
    walBytes: ((await walAt()) - before.wal) / done,
  };
}

async function rateAndLatency(server, { requestOf, status = 200, connections = CONNECTIONS }) {
  await load({ port: server.port, connections, ms: 1_000, status, requestOf });
  const { done, ms: took } = await load({ port: server.port, connections, ms, status, requestOf });
  return { rate: (done * 1_000) / took, mean: (connections * took) / done };
}

/** From one row after the other: what is left of a commit when the CPU is taken off. */
async function measureFlush() {
  const [{ pid }] = await rows('SELECT pg_backend_pid() AS pid');
  const times = 500;
  const [began, cpu] = [performance.now(), cpuMsOf(pid)];
  for (let n = 0; n < times; n++) await rows(`UPDATE "user" SET "user_status" = $1 WHERE "id" = ${FIRST_USER}`, [n]);
  return (performance.now() - began - (cpuMsOf(pid) - cpu)) / times;
}

async function walAt() {
  const [{ bytes }] = await rows(`SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes`);
  return Number(bytes);
}

function statOf(pid) {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').pop().split(' ').map(Number);
}

function cpuMsOf(pid) {
  const fields = statOf(pid);
  return (fields[11] + fields[12]) * TICK_MS;
}

/** The postmaster, those of its children that have ended, and those that run. */
function databaseCpuMs() {
  const [postmaster] = readFileSync(`${cluster.data}/postmaster.pid`, 'utf8').split('\n');
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ');
  const fields = statOf(postmaster);
  return (fields[13] + fields[14]) * TICK_MS + [postmaster, ...children].reduce((sum, pid) => sum + cpuMsOf(pid), 0);
}
