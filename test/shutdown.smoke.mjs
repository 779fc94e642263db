// How the built service ends: what it has accepted it answers, and then it is gone.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { json, start as startBuilt, temporaryFolder } from './support/built-service.mjs';

const folder = temporaryFolder(after);
let databases = 0;
async function start(settings) {
  const file = `${folder}/${databases++}.sqlite`;
  return { file, ...(await startBuilt({ DATABASE_URL: `sqlite:${file}`, ...settings })) };
}

const pet = '{"name":"Rex"}';
const users = (count) =>
  JSON.stringify(Array.from({ length: count }, (_, n) => ({ username: `u${n}`, password: 'p' })));
const message = (path, body) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const createPet = message('/v1/pet', pet);
const createUsers = (count) => message('/v2/user/createWithList', users(count));

/** A connection, on which a test writes what it likes. */
async function dial(url) {
  const socket = connect(+new URL(url).port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => (text += chunk)).on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  const answers = () =>
    [...text.matchAll(/HTTP\/1\.1 (\d+)[^]*?\r\n\r\n/g)].map(([head, status]) => ({
      status: Number(status),
      close: /\r\nconnection: close\r\n/i.test(head),
    }));
  return { write: (part) => socket.write(part), answers, closed };
}

const statuses = (client) => client.answers().map(({ status }) => status);

const until = async (holds) => {
  while (!holds()) await sleep(5);
};
const told = (service, message) => until(() => service.log().includes(message));
const isReady = async (service) => (await fetch(`${service.url}/health/ready`)).status === 200;
/** Many clients create pets, each over and over until `stopped` or nothing listens any more. */
async function underLoad(service, stopped) {
  const agent = new Agent({ keepAlive: true });
  const outcomes = [];
  const client = async () => {
    while (!stopped()) {
      const outcome = await post(service.url, agent);
      if (outcome.error === 'ECONNREFUSED') return;
      outcomes.push(outcome);
    }
  };
  const clients = Promise.all(Array.from({ length: 32 }, client));
  await until(() => outcomes.length > 500);
  service.kill();
  await clients;
  assert.deepEqual(await service.exited, { code: 0, signal: null });
  return outcomes;
}

function post(url, agent) {
  const id = randomUUID();
  const headers = { 'Content-Type': 'application/json', 'X-Request-Id': id };
  return new Promise((resolve) => {
    const req = request(`${url}/v1/pet`, { method: 'POST', agent, headers });
    req.on('response', (res) => res.resume().on('end', () => resolve({ id, status: res.statusCode })));
    req.on('error', (error) => resolve({ id, error: 'code' in error && error.code }));
    req.end(pet);
  });
}

const load = { SQLITE_SYNCHRONOUS: 'NORMAL' };
const failed = (outcomes) => outcomes.filter(({ status }) => status !== 201);

describe('at SIGTERM the service', { timeout: 60_000 }, () => {
  it('turns readiness off and serves on for DRAIN_MS, then accepts no connection', async () => {
    const service = await start({ DRAIN_MS: '1000' });
    assert.ok(await isReady(service));
    service.kill();
    await told(service, 'not ready');
    assert.equal(await isReady(service), false);
    assert.equal((await fetch(`${service.url}/v1/pet`, { method: 'POST', ...json(pet) })).status, 201);
    const open = await dial(service.url);
    open.write(createPet.slice(0, -3));
    await told(service, 'No new connections');
    await assert.rejects(dial(service.url), { code: 'ECONNREFUSED' });
    open.write(createPet.slice(-3));
    assert.deepEqual(await service.exited, { code: 0, signal: null });
  });

  it('answers whoever comes as it begins to end, if no setting says otherwise', async () => {
    const service = await start(load);
    const agent = new Agent({ keepAlive: true });
    await post(service.url, agent);
    const outcomes = Array.from({ length: 40 }, () => post(service.url, agent));
    service.kill();
    assert.deepEqual(failed(await Promise.all(outcomes)), []);
    assert.deepEqual(await service.exited, { code: 0, signal: null });
  });

  it('ends at the deadline, also where it drains until then', async () => {
    const service = await start({ DRAIN_MS: '300', SHUTDOWN_DEADLINE_MS: '300' });
    const client = await dial(service.url);
    client.write(createPet.slice(0, -3));
    await sleep(100);
    service.kill();
    assert.deepEqual(await service.exited, { code: 1, signal: null });
  });

  it('finishes a bulk that is being hashed, and writes the log of SQLite back into its file', async () => {
    const service = await start({ ARGON2_TIME_COST: '4', DRAIN_MS: '0' });
    const bulk = await dial(service.url);
    bulk.write(createUsers(40));
    await sleep(100);
    assert.deepEqual(bulk.answers(), []);
    service.kill();
    assert.deepEqual(await service.exited, { code: 0, signal: null });
    assert.deepEqual(bulk.answers(), [{ status: 200, close: true }]);
    assert.ok(existsSync(service.file) && !existsSync(`${service.file}-wal`));
  });

  it('waits for the rest of a body that is half sent', async () => {
    const service = await start();
    const client = await dial(service.url);
    client.write(createPet.slice(0, -3));
    await sleep(100);
    service.kill();
    await told(service, 'No new connections');
    await sleep(300);
    client.write(createPet.slice(-3));
    assert.deepEqual(await service.exited, { code: 0, signal: null });
    assert.deepEqual(client.answers(), [{ status: 201, close: true }]);
  });

  it('answers every request of a pipeline that is being worked on', async () => {
    const service = await start();
    const client = await dial(service.url);
    client.write(createUsers(10) + createPet + createPet);
    await sleep(50);
    service.kill();
    assert.deepEqual(await service.exited, { code: 0, signal: null });
    assert.deepEqual(statuses(client), [200, 201, 201]);
  });

  it('answers the rest of a pipeline that comes late, and says close with the last answer only', async () => {
    const service = await start();
    const client = await dial(service.url);
    client.write(createUsers(10).slice(0, -3));
    await sleep(100);
    service.kill();
    await told(service, 'No new connections');
    client.write(createUsers(10).slice(-3) + createPet + createPet);
    assert.deepEqual(await service.exited, { code: 0, signal: null });
    assert.deepEqual(client.answers(), [
      { status: 200, close: false },
      { status: 201, close: false },
      { status: 201, close: true },
    ]);
  });

  it('does not wait for connections that are idle or silent', async () => {
    const service = await start({ KEEP_ALIVE_TIMEOUT_MS: '60000' });
    const silent = await dial(service.url);
    const idle = await dial(service.url);
    idle.write(createPet);
    await until(() => idle.answers().length === 1);
    service.kill();
    await Promise.all([silent.closed, idle.closed]);
    assert.deepEqual(await service.exited, { code: 0, signal: null });
  });

  it('cuts what is open at the deadline, says so, and ends with 1', async () => {
    const service = await start({ SHUTDOWN_DEADLINE_MS: '500' });
    const client = await dial(service.url);
    client.write(createPet.slice(0, -3));
    await sleep(100);
    service.kill();
    assert.deepEqual(await service.exited, { code: 1, signal: null });
    assert.match(service.log(), /deadline has passed\. Requests that were cut: 1\./);
  });

  it('ends at once at a second signal, but not at the echo of the first', async () => {
    const service = await start({ DRAIN_MS: '60000', SHUTDOWN_DEADLINE_MS: '60000' });
    service.kill();
    await told(service, 'not ready');
    service.kill();
    assert.equal(await Promise.race([service.exited, sleep(700, 'still there')]), 'still there');
    service.kill('SIGINT');
    assert.deepEqual(await service.exited, { code: 1, signal: null });
  });

  it('fails no request under load, behind a balancer that watches readiness', async () => {
    const service = await start({ ...load, DRAIN_MS: '1000' });
    let balanced = true;
    const outcomes = underLoad(service, () => !balanced);
    while (await isReady(service)) await sleep(20);
    balanced = false;
    assert.deepEqual(failed(await outcomes), []);
  });

  it('fails no request under load, from clients that stay until nothing listens', async () => {
    const service = await start(load);
    const outcomes = await underLoad(service, () => false);
    assert.deepEqual(failed(outcomes), []);
    assert.equal(service.lines().filter(({ status }) => status === 201).length, outcomes.length);
  });
});
