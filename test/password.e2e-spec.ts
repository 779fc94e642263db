import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { UserRecords } from '../src/user';
import { hashingRuns } from './support/hashing-runs';
import { startApp, type RunningApp } from './support/start-app';
import { createTestDatabase } from './support/test-database';

let running: RunningApp;
afterEach(async () => {
  jest.restoreAllMocks();
  await running.stop();
});

const users = (count: number, name: string, password = 'right') =>
  Array.from({ length: count }, (_, n) => ({ username: `${name}${n}`, password }));
const create = (body: object[], { http } = running) => http.post('/v2/user/createWithList').send(body);
const logIn = (username: string, { http } = running) =>
  http.get('/v2/user/login').query({ username, password: 'right' });
const hashes = () => running.query<{ password_hash: string }>('SELECT password_hash FROM "user"');

it('answers 503 with the time to come back when too many passwords wait, and stores none of that request', async () => {
  running = await startApp({ HASH_QUEUE_LIMIT: '100' });
  const answers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => create(users(80, name))));
  const refused = answers.filter(({ status }) => status === 503);
  expect(refused.length).toBeGreaterThan(0);
  for (const { body, headers } of refused) {
    expect(body.type).toBe('/problems/overloaded');
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  }
  expect(await hashes()).toHaveLength(80 * (4 - refused.length));
});

it('takes a request that is larger than the queue when nothing waits', async () => {
  running = await startApp({ HASH_QUEUE_LIMIT: '50' });
  await create(users(80, 'a')).expect(200);
});

const SALT = 'c29tZXNhbHRzb21l';
it.each([
  ['m=4194304,t=1000,p=1', SALT],
  ['m=9999999999,t=1,p=1', SALT],
  ['m=08,t=1,p=1', SALT],
  ['m=8,t=01,p=1', SALT],
  ['m=8,t=1,p=1', 'AAAAAAAAAAB'],
  ['m=8,t=1,p=1', 'AAAAAAAAAAAAA'],
])(
  'answers a log-in with a stored hash by %s and %s as a wrong password, at the cost of one check by the settings',
  async (cost, salt) => {
    running = await startApp();
    await create([...users(1, 'bad'), ...users(1, 'good')]).expect(200);
    const hash = `$argon2id$v=19$${cost}$${salt}$c29tZWhhc2hzb21laGFzaA`;
    await running.app.get(DataSource).query(`UPDATE "user" SET password_hash = '${hash}' WHERE username = 'bad0'`);
    const warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const bad = await logIn('bad0').expect(401);
    expect(warned.mock.calls.flat().join()).toMatch(/no hash by argon2id of at most 256 MiB/);
    const wrong = await running.http.get('/v2/user/login').query({ username: 'good0', password: 'wrong' }).expect(401);
    expect(bad.body).toEqual({ ...wrong.body, requestId: bad.body.requestId });
  },
);

describe('a password in several spellings', () => {
  const [nfc, nfd] = ['caf\u00e9', 'cafe\u0301'];
  const logInBy = (password: string) => running.http.get('/v2/user/login').query({ username: 'tess0', password });
  const stored = async (password: string) => {
    await create(users(1, 'tess')).expect(200);
    const { hash } = jest.requireActual<typeof import('@node-rs/argon2')>('@node-rs/argon2');
    const old = await hash(password, { memoryCost: 8, timeCost: 1, parallelism: 1 });
    await running.app.get(DataSource).query(`UPDATE "user" SET password_hash = '${old}'`);
  };

  it.each([nfc, nfd])('is one in Unicode NFC, however it was set: %j', async (password) => {
    running = await startApp();
    await create(users(1, 'tess', password)).expect(200);
    const own = (await logInBy(nfd).expect(200)).body as string;
    await logInBy(nfc).expect(200);
    const change = running.http.put('/v2/user/tess0').set('Authorization', `Bearer ${own}`);
    await change.send({ password: `${password}2` }).expect(200);
    await logInBy(`${nfc}2`).expect(200);
    await running.app.get(UserRecords, { strict: false }).setPassword('tess0', `${password}3`);
    await logInBy(`${nfc}3`).expect(200);
  });

  it('opens as it was spelled where an earlier release hashed it so, and from then on in every spelling', async () => {
    running = await startApp();
    await stored(nfd);
    await logInBy(nfc).expect(401);
    await logInBy(nfd).expect(200);
    await logInBy(nfc).expect(200);
  });

  it('costs a second check only where it is not NFC, and then for unknown users too', async () => {
    running = await startApp();
    await stored(nfc);
    const runs = hashingRuns();
    for (const username of ['tess0', 'nobody']) {
      for (const [password, checks] of [
        ['wr\u00f6ng', 1],
        ['wro\u0308ng', 2],
      ] as const) {
        await running.http.get('/v2/user/login').query({ username, password }).expect(401);
        expect(runs().splice(0)).toEqual(Array.from({ length: checks }, () => 'verify'));
      }
    }
  });
});

it('answers 503 when too many log-ins wait', async () => {
  running = await startApp({ HASH_QUEUE_LIMIT: '100' });
  await create(users(20, 'a')).expect(200);
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => logIn(`a${n}`)));
  const statuses = new Set(answers.map(({ status }) => status));
  expect(statuses).toEqual(new Set([200, 503]));
});

it('hashes no more for a client that has gone, and stores nothing of it', async () => {
  running = await startApp({ ARGON2_MEMORY_KIB: '19456' });
  const runs = hashingRuns();
  const client = new AbortController();
  const gone = fetch(`${running.url}/v2/user/createWithList`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(users(500, 'gone')),
    signal: client.signal,
  });
  while (runs().length < 3) {
    await sleep(5);
  }
  client.abort();
  await expect(gone).rejects.toThrow();
  await create(users(1, 'next')).expect(200);
  expect(runs().length).toBeLessThan(500);
  expect(await hashes()).toHaveLength(1);
});

it('hashes a password anew at log-in when the parameters have been raised, and only then', async () => {
  const database = await createTestDatabase();
  const lasting = { ...database, drop: () => Promise.resolve() };
  running = await startApp({ ARGON2_MEMORY_KIB: '16', ARGON2_TIME_COST: '1' }, lasting);
  await create(users(1, 'tess')).expect(200);
  await running.stop();

  for (const [memory, passes, stored] of [
    ['16', '1', '$argon2id$v=19$m=16,t=1,p=1$'],
    ['32', '1', '$argon2id$v=19$m=32,t=1,p=1$'],
    ['32', '2', '$argon2id$v=19$m=32,t=2,p=1$'],
    ['8', '1', '$argon2id$v=19$m=32,t=2,p=1$'],
  ] as const) {
    running = await startApp({ ARGON2_MEMORY_KIB: memory, ARGON2_TIME_COST: passes }, lasting);
    await logIn('tess0').expect(200);
    expect((await hashes())[0]!.password_hash).toContain(stored);
    await logIn('tess0').expect(200);
    await running.http.get('/v2/user/login').query({ username: 'tess0', password: 'wrong' }).expect(401);
    await running.stop();
  }
  running = await startApp();
  await database.drop();
});
