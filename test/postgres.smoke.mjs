// The built service on PostgreSQL, in surroundings that are not its own and on a server that freezes.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { json, start } from './support/built-service.mjs';
import { PostgresCluster } from './support/postgres-cluster.mjs';
import { createDatabase, server } from './support/server-database.mjs';

const create = async ({ url }) => (await fetch(`${url}/v1/pet`, { method: 'POST', ...json({ name: 'Rex' }) })).status;

test('nothing is taken from the variables of other programs that speak to PostgreSQL', { skip: !server }, async (t) => {
  const database = await createDatabase();
  t.after(database.drop);
  const service = await start({
    DATABASE_URL: database.url,
    PGHOST: 'nowhere.invalid',
    PGPORT: '1',
    PGUSER: 'nobody',
    PGPASSWORD: 'wrong',
    PGDATABASE: 'template1',
    PGOPTIONS: '-c default_transaction_read_only=on',
    PGAPPNAME: 'another',
    PGSSLMODE: 'require',
    PGSSLNEGOTIATION: 'direct',
    PGCLIENT_ENCODING: 'LATIN1',
    PGREPLICATION: 'database',
    PGCONNECT_TIMEOUT: '1',
    PGPASSFILE: '/dev/null',
    PGTZ: 'nowhere',
  });
  t.after(service.stop);
  assert.equal(await create(service), 201);
});

test(
  'a frozen server is refused for, not waited for, and used again when it goes on',
  {
    skip: !PostgresCluster.isPossible(),
  },
  async (t) => {
    const cluster = await PostgresCluster.start();
    t.after(() => cluster.stop());
    const service = await start({ DATABASE_URL: cluster.url });
    t.after(service.stop);
    assert.equal(await create(service), 201);

    const frozen = processesOf(cluster);
    frozen.forEach((pid) => process.kill(pid, 'SIGSTOP'));
    t.after(() => signalAll(frozen, 'SIGCONT'));
    const began = performance.now();
    const answers = await Promise.all(Array.from({ length: 30 }, () => create(service)));
    t.diagnostic(`slowest answer after ${Math.round(performance.now() - began)} ms`);
    assert.ok(
      answers.every((status) => status === 503 || status === 504),
      answers.join(),
    );
    assert.equal((await fetch(`${service.url}/health/live`)).status, 200);

    signalAll(frozen, 'SIGCONT');
    while ((await fetch(`${service.url}/health/ready`)).status !== 200);
    assert.equal(await create(service), 201);
    assert.ok(service.lines().length < 40, 'a flood of log lines');
  },
);

/** The postmaster and all of its children. */
function processesOf(cluster) {
  const postmaster = Number(readFileSync(`${cluster.data}/postmaster.pid`, 'utf8').split('\n')[0]);
  const children = readdirSync(`/proc/${postmaster}/task`).flatMap((thread) =>
    readFileSync(`/proc/${postmaster}/task/${thread}/children`, 'utf8').trim().split(' ').map(Number),
  );
  return [postmaster, ...children];
}

function signalAll(pids, signal) {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended.
    }
  }
}
