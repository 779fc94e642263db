import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { getRepositoryToken } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { SessionService } from '../src/auth';
import { Unavailable } from '../src/platform/common/problem';
import { loadConfig } from '../src/platform/config';
import { Operations } from '../src/platform/http';
import { idempotencyEntities } from '../src/platform/idempotency';
import { openApiDocument } from '../src/platform/openapi';
import { hold } from './support/hold';
import { createTestDatabase, lasting, onPostgres } from './support/test-database';
import { SettableClock } from '../src/testing';
import { startApp, tokenFor, type RunningApp } from './support/start-app';
import { until } from './support/until';

const pet = { name: 'Rex', owner_id: 'o-1' };

let running: RunningApp;
beforeAll(async () => {
  running = await startApp();
});
beforeEach(() => running.empty());
afterAll(() => running.stop());

const create = (key: string, body: object = pet, { http } = running) =>
  http.post('/v1/pet').set('Idempotency-Key', key).send(body);
const count = async (table: string, { query } = running) =>
  Number((await query<{ n: number }>(`SELECT count(*) AS n FROM "${table}"`))[0]!.n);

it('answers a repeat as the first time, and creates nothing', async () => {
  const first = await create('k-1').expect(201);
  expect(first.headers).not.toHaveProperty('idempotency-replayed');
  const again = await create('"k-1"').expect(201);
  expect(again.headers['idempotency-replayed']).toBe('true');
  expect(again.text).toBe(first.text);
  const { date, 'x-request-id': _, 'idempotency-replayed': __, ...headers } = again.headers;
  expect(first.headers).toMatchObject({ ...headers, date: date ? expect.any(String) : undefined });
  expect(await count('pet')).toBe(1);
});

it('does the same for users, whose names would be taken the second time', async () => {
  const bulk = () =>
    running.http
      .post('/v2/user/createWithList')
      .set('Idempotency-Key', 'k')
      .send([{ username: 'tess', password: 'a' }]);
  await bulk().expect(200, '');
  const { headers } = await bulk().expect(200, '');
  expect(headers).toMatchObject({ 'idempotency-replayed': 'true', 'content-length': '0' });
  expect(await count('user')).toBe(1);
});

it('answers 422 to another body, and keeps operations and callers apart', async () => {
  await create('k').expect(201);
  const { body } = await create('k', { ...pet, name: 'Max' }).expect(422);
  expect(body).toMatchObject({ type: '/problems/idempotency-key-reused' });
  await create('k', { name: ' ' }).expect(400);
  for (const path of ['createWithList', 'createWithArray']) {
    await running.http.post(`/v2/user/${path}`).set('Idempotency-Key', 'k').send([{}]).expect(200);
  }
  expect(await count('user')).toBe(2);

  const guarded = await startApp({ PET_CREATION: 'token' });
  for (const name of ['ann', 'bob']) {
    const token = await tokenFor(guarded, name);
    const { headers } = await create('k', pet, guarded).set('Authorization', `Bearer ${token}`).expect(201);
    expect(headers).not.toHaveProperty('idempotency-replayed');
  }
  expect(await count('pet', guarded)).toBe(2);
  await guarded.stop();
});

it('keeps callers with a token apart where the operation is open, and strangers have keys of their own', async () => {
  const [ann, bob] = [await tokenFor(running, 'ann'), await tokenFor(running, 'bob')];
  const replayed = async (authorization?: string) => {
    const { headers } = await create('k')
      .set(authorization ? { Authorization: authorization } : {})
      .expect(201);
    return headers['idempotency-replayed'] === 'true';
  };
  expect([await replayed(), await replayed(`Bearer ${ann}`), await replayed(`Bearer ${bob}`)]).not.toContain(true);
  expect(await count('pet')).toBe(3);
  // Whoever is not known is a stranger.
  for (const authorization of [`Bearer ${ann}`, `bearer  ${bob}`, 'Bearer unknown', 'Bearer "quoted"', 'Basic eDp5']) {
    expect([authorization, await replayed(authorization)]).toEqual([authorization, true]);
  }
  expect(await count('pet')).toBe(3);
  // A key of a caller who cannot be told may be one of his own: nothing is made.
  jest.spyOn(running.app.get(SessionService, { strict: false }), 'verify').mockRejectedValueOnce(new Unavailable(null));
  await create('k').set('Authorization', `Bearer ${ann}`).expect(503);
});

it('tells a repeat that comes too soon to come again, and creates one pet for many requests at once', async () => {
  const write = running.database.write.bind(running.database);
  const { released, release } = hold();
  jest.spyOn(running.database, 'write').mockImplementationOnce((...work) => released.then(() => write(...work)));
  const first = create('k').then((answer) => answer);
  // Whichever of the two is held, the other is too soon.
  const second = create('k').then((answer) => answer);
  const { headers, body } = await Promise.race([first, second]);
  expect(headers['retry-after']).toBe('1');
  expect(body).toMatchObject({ type: '/problems/still-running' });
  release();
  const { text } = (await Promise.all([first, second])).find(({ status }) => status === 201)!;

  const answers = await Promise.all(Array.from({ length: 20 }, () => create('k')));
  answers.forEach((answer) => expect([201, 409]).toContain(answer.status));
  expect(new Set(answers.filter(({ status }) => status === 201).map((answer) => answer.text))).toEqual(new Set([text]));
  expect(await count('pet')).toBe(1);
});

(onPostgres ? it : it.skip)('does so in several processes', async () => {
  const database = await createTestDatabase();
  const [a, b] = [await startApp({}, lasting(database)), await startApp({}, lasting(database))];
  for (let round = 0; round < 4; round++) {
    const answers = await Promise.all([a, b, a, b].map((app) => create(`k-${round}`, pet, app)));
    answers.forEach(({ status }) => expect([201, 409]).toContain(status));
    expect(new Set(answers.filter(({ status }) => status === 201).map(({ text }) => text)).size).toBe(1);
  }
  expect(await count('pet', a)).toBe(4);
  await a.stop();
  await b.stop();
  await database.drop();
});

it('tells a stored answer only once a commit has confirmed it', async () => {
  await create('k').expect(201);
  const answers = running.app.get<Repository<object>>(getRepositoryToken(idempotencyEntities[0]!), { strict: false });
  const { released, release } = hold();
  const confirm = jest.spyOn(answers, 'update').mockImplementationOnce(async () => {
    await released;
    throw new Unavailable(null);
  });
  const told = create('k').then(({ status }) => status);
  await until(() => confirm.mock.calls.length > 0);
  expect(await Promise.race([told, setTimeout(100, 'nothing')])).toBe('nothing');
  release();
  expect(await told).toBe(503);
  expect(await count('pet')).toBe(1);
});

it('keeps nothing of what failed', async () => {
  await create('k', { name: ' ' }).expect(400);
  await create('k').expect(201);
  jest.spyOn(running.database, 'write').mockRejectedValueOnce(new Error('canary'));
  await create('l').expect(500);
  const { headers } = await create('l').expect(201);
  expect(headers).not.toHaveProperty('idempotency-replayed');
});

it('forgets after a day, in the time of now: a clock that was ahead changes nothing', async () => {
  const clock = new SettableClock();
  const database = await createTestDatabase();
  const timed = await startApp({}, database, clock);
  const isReplayed = async (key: string) =>
    (await create(key, pet, timed).expect(201)).headers['idempotency-replayed'] === 'true';
  expect(await isReplayed('k')).toBe(false);
  clock.pass({ hours: 23 });
  expect(await isReplayed('k')).toBe(true);
  clock.pass({ hours: 1 });
  expect(await isReplayed('k')).toBe(false);
  clock.pass({ hours: 365 * 24 });
  expect(await isReplayed('ahead')).toBe(false);
  clock.pass({ hours: -365 * 24 });
  expect(await isReplayed('ahead')).toBe(true);
  const many = (name: string) =>
    Promise.all(Array.from({ length: 20 }, (_, n) => create(`${name}-${n}`, pet, timed).expect(201)));
  await many('fill');
  clock.pass({ hours: 25 });
  expect(await isReplayed('ahead')).toBe(false);
  await many('more');
  // What has expired goes by itself.
  expect(await count('idempotent_answer', timed)).toBeLessThan(30);
  await timed.stop();
});

it('forgets a day after it was told again what a clock that was ahead had dated', async () => {
  const clock = new SettableClock();
  const timed = await startApp({}, await createTestDatabase(), clock);
  clock.pass({ hours: 365 * 24 });
  const { text } = await create('ahead', pet, timed).expect(201);
  clock.pass({ hours: -365 * 24 });
  await create('ahead', pet, timed).expect(201, text);
  clock.pass({ hours: 23 });
  await create('ahead', pet, timed).expect(201, text);
  clock.pass({ hours: 1 });
  const { headers } = await create('ahead', pet, timed).expect(201);
  expect(headers).not.toHaveProperty('idempotency-replayed');
  await timed.stop();
});

it('can be used with every operation that creates', () => {
  const { paths } = openApiDocument(running.app, loadConfig({}));
  const answerOf = (template: string, status: number) =>
    paths[template]!.post!.responses[status] as { headers?: Record<string, unknown> };
  const forgotten = Operations.of(running.app)
    .all.filter(({ method, documented, repeatable }) => method === 'POST' && documented && !repeatable)
    .filter(({ template, status, handler }) => {
      const headers = Object.keys(answerOf(template, status).headers ?? {});
      return status === 201 || /creat|add/i.test(handler) || headers.some((name) => /^(Content-)?Location$/.test(name));
    });
  expect(forgotten.map(({ handler }) => `${handler} creates: add @CurrentAttempt, for IdempotencyStore.once`)).toEqual(
    [],
  );
});

it('empties what it keeps of a user who is deleted', async () => {
  const body = { username: 'canary', email: 'canary@mail.example', password: 'p' };
  await running.http.post('/v2/user').set('Idempotency-Key', 'k').send(body).expect(200);
  await create('other').expect(201);
  const kept = () => running.query<{ value: string | null }>('SELECT value, about FROM idempotent_answer');
  expect(JSON.stringify(await kept())).toContain('canary');
  const token = (await running.http.get('/v2/user/login?username=canary&password=p')).body as string;
  await running.http.delete('/v2/user/canary').set('Authorization', `Bearer ${token}`).expect(200);
  expect(JSON.stringify(await kept())).not.toContain('canary');
  // The key stays spent, and what tells of others stays.
  const { body: refusal } = await running.http.post('/v2/user').set('Idempotency-Key', 'k').send(body).expect(422);
  expect(refusal).toMatchObject({ type: '/problems/idempotency-key-reused' });
  expect((await create('other').expect(201)).headers['idempotency-replayed']).toBe('true');
});

it.each(['', ' ', '"', '"a', 'a"b', 'a\u00e9', 'x'.repeat(256)])('answers 400 to the key %j', async (key) => {
  const answer = await fetch(`${running.url}/v1/pet`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: JSON.stringify(pet),
  });
  const { errors } = (await answer.json()) as { errors: unknown };
  expect([answer.status, errors]).toMatchObject([400, [{ pointer: 'Idempotency-Key' }]]);
});

it('stores no password, no hash of one, and no key', async () => {
  const users = [{ username: 'tess', password: 'canary' }];
  await running.http.post('/v2/user/createWithList').set('Idempotency-Key', 'key-canary').send(users).expect(200);
  const rows = JSON.stringify(await running.query('SELECT * FROM "idempotent_answer"'));
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  for (const secret of ['canary', hash('canary'), hash(JSON.stringify(users)), hash('key-canary'), 'argon2']) {
    expect(rows).not.toContain(secret);
  }
  // A repeat may bring another password: it is told what the first one made.
  const other = [{ username: 'tess', password: 'other' }];
  await running.http.post('/v2/user/createWithList').set('Idempotency-Key', 'key-canary').send(other).expect(200);
  await running.http.get('/v2/user/login?username=tess&password=other').expect(401);
});

it('has no meaning for operations that create nothing', async () => {
  await running.http.get('/v2/user/logout').set('Idempotency-Key', '"').expect(200);
});
