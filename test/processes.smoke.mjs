// Several processes of the built service on one PostgreSQL; TEST_DATABASE_URL names the server.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBalancer } from './support/balancer.mjs';
import { json, start as startBuilt, temporaryFolder } from './support/built-service.mjs';
import rudeStages from './support/rude-stages.cjs';
import { createDatabase, query, server } from './support/server-database.mjs';

const skip = server === undefined && 'TEST_DATABASE_URL names no PostgreSQL server';
let database;
before(async () => (database = skip ? undefined : await createDatabase()));
after(() => database?.drop());

const start = (settings = {}) =>
  startBuilt({
    DATABASE_URL: database.url,
    ARGON2_MEMORY_KIB: '8',
    ARGON2_TIME_COST: '1',
    POSTGRES_POOL_SIZE: '4',
    ...settings,
  });

test(
  'three processes that start at once migrate once, and serve a client as if they were one',
  { skip, timeout: 60_000 },
  async () => {
    const processes = await Promise.all([start(), start(), start()]);
    const migrated = await query(database.url, 'SELECT name FROM migrations');
    assert.equal(new Set(migrated.map(({ name }) => name)).size, migrated.length);
    const balancer = await startBalancer(processes.map(({ url }) => url));
    const call = (path, options) => fetch(balancer.url + path, options);
    const post = (path, body) => call(path, { method: 'POST', ...json(body) });

    // The balancer goes round: each line is answered by another process than the one before.
    assert.equal((await post('/v2/user/createWithList', [{ username: 'tess', password: 'right' }])).status, 200);
    const { id } = /** @type {{ id: number }} */ (await (await post('/v1/pet', { name: 'Rex' })).json());
    const token = await (await call('/v2/user/login?username=tess&password=right')).json();
    const Authorization = `Bearer ${token}`;
    const update = () =>
      call('/v2/pet', { method: 'PUT', ...json({ id, name: 'Max', photoUrls: [] }, { Authorization }) });
    for (const _ of processes) {
      assert.equal((await update()).status, 200);
    }
    assert.equal((await call('/v2/user/logout', { headers: { Authorization } })).status, 200);
    for (const _ of processes) {
      assert.equal((await update()).status, 401);
    }

    const names = await Promise.all(
      Array.from({ length: 30 }, (_, n) => post('/v2/user/createWithArray', [{ username: `n${n % 10}` }, {}, {}])),
    );
    assert.equal(names.filter(({ status }) => status === 200).length, 10);
    assert.equal(names.filter(({ status }) => status === 409).length, 20);

    const failures = [];
    for (let n = 0; n < 6; n++) {
      failures.push((await call('/v2/user/login?username=tess&password=wrong')).status);
    }
    assert.deepEqual(failures, [401, 401, 401, 401, 401, 429]);

    await balancer.stop();
    for (const { stop, log } of processes) {
      assert.deepEqual(await stop(), { code: 0, signal: null });
      assert.match(log(), /"status":200/);
      assert.doesNotMatch(log(), /"status":5/);
    }
  },
);

test(
  'WEB_CONCURRENCY processes share a port; one that dies is replaced, and all end with the first',
  { skip },
  async () => {
    const service = await start({ WEB_CONCURRENCY: '3' });
    const listening = () => service.log().match(/Listening on/g).length;
    await until(() => listening() === 3);
    const create = async () => {
      const answer = await fetch(`${service.url}/v1/pet`, { method: 'POST', ...json({ name: 'Rex' }) });
      return answer.status;
    };
    assert.equal(await create(), 201);

    const [victim] = childrenOf(service.pid);
    process.kill(victim, 'SIGKILL');
    await until(() => listening() === 4);
    assert.match(service.log(), new RegExp(`Process ${victim} ended \\(SIGKILL\\)`));
    assert.equal(await create(), 201);

    const children = childrenOf(service.pid);
    assert.equal(children.length, 3);
    assert.deepEqual(await service.stop(), { code: 0, signal: null });
    assert.ok(children.every((pid) => !isRunning(pid)));
  },
);

test(
  'metrics are the sums of all processes, and a process that dies takes none of them along',
  { skip, timeout: 60_000 },
  async () => {
    const service = await start({ WEB_CONCURRENCY: '2', METRICS_PORT: '0' });
    const url = /Metrics on (http:\S+?)"/.exec(service.log())[1];
    const scrape = async () => {
      const answer = await fetch(url);
      assert.equal(answer.status, 200);
      return answer.text();
    };
    const created = async () => {
      const counts = (await scrape()).matchAll(/_count{method="POST",route="\/v1\/pet",status="201"} (\d+)/g);
      return Array.from(counts, ([, count]) => Number(count));
    };
    const createTen = async () => {
      for (let n = 0; n < 10; n++) {
        // Each on a connection of its own, which go round the processes.
        await fetch(`${service.url}/v1/pet`, { method: 'POST', ...json({ name: 'Rex' }, { Connection: 'close' }) });
      }
    };
    await createTen();
    assert.deepEqual(await created(), [10]);
    for (const count of [20, 30]) {
      await until(() => service.log().match(/Listening on/g)?.length === count / 10);
      const [victim] = childrenOf(service.pid);
      process.kill(victim, 'SIGKILL');
      await until(() => service.log().includes(`Process ${victim} ended`));
      // While the new process starts, the numbers of the other one and of the dead are there.
      assert.deepEqual(await created(), [count - 10]);
      await createTen();
      assert.deepEqual(await created(), [count]);
    }
    await service.stop();
  },
);

test(
  'a process that dies while the database is away is started again until it comes back',
  { skip, timeout: 60_000 },
  async () => {
    const own = await createDatabase();
    const service = await start({ DATABASE_URL: own.url, WEB_CONCURRENCY: '2', METRICS_PORT: '0' });
    const listening = () => service.log().match(/Listening on/g).length;
    await until(() => listening() === 2);
    const connectable = (allowed) =>
      query(server, `ALTER DATABASE ${new URL(own.url).pathname.slice(1)} ALLOW_CONNECTIONS ${allowed}`);
    await connectable(false);
    process.kill(childrenOf(service.pid)[0], 'SIGKILL');
    await until(() => service.log().match(/takes its place/g)?.length >= 3);
    assert.equal((await fetch(`${service.url}/health/live`)).status, 200);
    await connectable(true);
    await until(() => listening() === 3);
    assert.deepEqual(await service.stop(), { code: 0, signal: null });
    await own.drop();
  },
);

test('processes that cannot even start end the service, in a sentence', { skip, timeout: 60_000 }, async () => {
  const settings = { DATABASE_URL: Object.assign(new URL(database.url), { pathname: 'nowhere' }).href };
  await assert.rejects(start({ ...settings, WEB_CONCURRENCY: '2' }), ({ message }) => {
    assert.match(message, /exited with 1[^]*database "nowhere" does not exist/);
    assert.doesNotMatch(message, /^ +at /m);
    return true;
  });
});

test(
  'in the cluster of another program a process serves, and says that metrics are off',
  { timeout: 60_000 },
  async () => {
    const folder = temporaryFolder(after);
    // As PM2 starts programs in its cluster mode.
    const starter = `const cluster = require('node:cluster');
    cluster.setupPrimary({ exec: 'dist/main.js', execArgv: [] });
    cluster.fork();
    process.on('SIGTERM', () => Object.values(cluster.workers)[0].kill());`;
    const service = await startBuilt({ DATABASE_URL: `sqlite:${folder}/pets.sqlite`, METRICS_PORT: '0' }, [
      '-e',
      starter,
      '--',
    ]);
    assert.equal((await fetch(`${service.url}/health/ready`)).status, 200);
    assert.equal(service.log().match(/Metrics are off/g).length, 1);
    assert.equal(service.log().match(/Open to anyone/g).length, 1);
    await service.stop();
  },
);

test('one process serves a SQLite file, not several', async () => {
  const settings = { DATABASE_URL: 'sqlite:/tmp/never-made.sqlite', WEB_CONCURRENCY: '2' };
  await assert.rejects(startBuilt(settings), /exited with 1[^]*WEB_CONCURRENCY must be 1 with SQLite/);
});

test(
  'two processes outlive every client that leaves with a reset, at any stage of a request',
  { skip, timeout: 60_000 },
  async () => {
    const service = await start({ WEB_CONCURRENCY: '2' });
    const listening = () => service.log().match(/Listening on/g).length;
    await until(() => listening() === 2);
    const pids = [service.pid, ...childrenOf(service.pid)];
    for (const bytes of rudeStages) {
      for (const wait of [0, 5]) {
        // Connections go round the processes: each of them meets every stage.
        await Promise.all(pids.slice(1).map(() => leaveRudely(service.url, bytes, wait)));
      }
    }
    // A process may have died and been replaced: the service would answer, but not with the same processes.
    for (const _ of pids) {
      const answer = await fetch(`${service.url}/health/live`, { headers: { Connection: 'close' } });
      assert.equal(answer.status, 200);
    }
    assert.deepEqual(
      pids.filter((pid) => !existsSync(`/proc/${pid}`)),
      [],
    );
    assert.equal(listening(), 2);
    assert.deepEqual(await service.stop(), { code: 0, signal: null });
  },
);

test('two processes answer whoever comes as they begin to end', { skip, timeout: 60_000 }, async () => {
  const service = await start({ WEB_CONCURRENCY: '2' });
  await until(() => service.log().match(/Listening on/g).length === 2);
  const create = () => fetch(`${service.url}/v1/pet`, { method: 'POST', ...json({ name: 'Rex' }) });
  await create();
  const answers = Array.from({ length: 40 }, create);
  service.kill();
  assert.ok((await Promise.all(answers)).every(({ status }) => status === 201));
  assert.deepEqual(await service.exited, { code: 0, signal: null });
});

for (const count of [1, 2]) {
  test(
    `SIGHUP ends ${count === 1 ? 'one process' : 'two processes'} as SIGTERM does, after the answer to what is open`,
    { skip, timeout: 60_000 },
    async () => {
      const service = await start({ WEB_CONCURRENCY: String(count) });
      await until(() => service.log().match(/Listening on/g).length === count);
      const pids = [service.pid, ...(count === 1 ? [] : childrenOf(service.pid))];
      const body = '{"name":"Rex"}';
      const head = `POST /v1/pet HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
      const socket = await dial(service.url);
      let answer = '';
      socket.on('data', (chunk) => (answer += chunk));
      socket.write(`${head}\r\n\r\n${body.slice(0, 5)}`);
      await sleep(200);
      let ended = false;
      void service.exited.then(() => (ended = true));
      service.kill('SIGHUP');
      await until(() => ended || service.log().match(/No new connections/g)?.length === count);
      socket.write(body.slice(5));
      assert.deepEqual(await service.exited, { code: 0, signal: null });
      assert.match(answer, /^HTTP\/1\.1 201 /);
      assert.ok(pids.every((pid) => !existsSync(`/proc/${pid}`)));
    },
  );
}

async function dial(url) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return socket.on('error', () => {});
}

async function leaveRudely(url, bytes, wait) {
  const socket = await dial(url);
  await new Promise((resolve) => socket.write(Buffer.from(bytes, 'latin1'), resolve));
  await sleep(wait);
  socket.resetAndDestroy();
}

const until = async (condition) => {
  while (!(await condition())) await sleep(20);
};

const childrenOf = (pid) =>
  execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map(Number);

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
