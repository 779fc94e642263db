import { getRepositoryToken } from '@nestjs/typeorm';
import { Client } from 'pg';
import type { Repository } from 'typeorm';
import { Operations } from '../src/platform/http';
import { idempotencyEntities } from '../src/platform/idempotency';
import { startApp, tokenFor, type RunningApp } from './support/start-app';
import { createTestDatabase, lasting, onPostgres, type TestDatabase } from './support/test-database';
import { Wire } from './support/wire';

/** Every operation that may be repeated: its table, its success, and a body of which nobody had the like. */
const requests: Record<string, [table: string, status: number, body: (n: number) => object]> = {
  'POST /v1/pet': ['pet', 201, () => ({ name: 'Rex' })],
  'POST /v2/pet': ['pet', 200, (id) => ({ id, name: 'Rex', photoUrls: [], tags: [{ name: 'a' }] })],
  'POST /v2/user': ['user', 200, (n) => ({ username: `user-${n}`, password: 'p' })],
  'POST /v2/user/createWithList': ['user', 200, (n) => [{ username: `user-${n}`, password: 'p' }, { id: n }]],
  'POST /v2/user/createWithArray': ['user', 200, (n) => [{ username: `user-${n}` }, {}]],
};

(onPostgres ? describe : describe.skip)('repeats in several processes', () => {
  /** Two processes on one database, the first of them behind a wire. */
  let database: TestDatabase;
  let wire: Wire;
  let one: RunningApp;
  let other: RunningApp;
  let token: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    wire = await Wire.to(database.url);
    one = await startApp({}, lasting({ ...database, url: wire.url }));
    other = await startApp({}, lasting(database));
    token = await tokenFor(other);
  });
  afterAll(async () => {
    await one.stop();
    await other.stop();
    await wire.cut();
    await database.drop();
  });
  afterEach(() => jest.restoreAllMocks());

  let n = 0;
  const sender = (operation: string) => {
    n += 1;
    const body = requests[operation]![2](n);
    const key = `k-${n}`;
    const path = operation.replace('POST ', '');
    const needsToken = Operations.of(one.app).routesAt('POST', path)[0]?.operation.access === 'token';
    const headers = { 'Idempotency-Key': key, ...(needsToken && { Authorization: `Bearer ${token}` }) };
    return ({ http }: RunningApp) => http.post(path).set(headers).send(body);
  };
  const made = (operation: string) => {
    const body = requests[operation]![2](0);
    return Array.isArray(body) ? body.length : 1;
  };
  const count = async (operation: string) =>
    Number((await other.query<{ n: number }>(`SELECT count(*) AS n FROM "${requests[operation]![0]}"`))[0]!.n);

  it('are tried here with every operation that may be repeated', () => {
    const repeatable = Operations.of(one.app).all.filter(
      // Those of files are tried where files are.
      ({ repeatable, body }) => repeatable && body?.mediaType !== 'multipart/form-data',
    );
    const names = repeatable.map(({ method, template }) => `${method} ${template}`);
    const forgotten = names.filter((name) => !(name in requests));
    expect(forgotten.map((name) => `test/repeats.e2e-spec.ts has no request for '${name}': add one`)).toEqual([]);
    expect(Object.keys(requests).sort()).toEqual(names.sort());
  });

  it.each(Object.keys(requests))('are not told that what the first one stored is taken: %s', async (operation) => {
    const send = sender(operation);
    const before = await count(operation);
    // The second one looks the key up before the first has stored it, and goes on afterwards.
    const answers = other.app.get<Repository<object>>(getRepositoryToken(idempotencyEntities[0]!), { strict: false });
    const read = answers.findOneBy.bind(answers);
    let first: { status: number; text: string } | undefined;
    jest.spyOn(answers, 'findOneBy').mockImplementationOnce(async (where) => {
      const seen = await read(where);
      first = await send(one);
      return seen;
    });
    const second = await send(other).expect(requests[operation]![1]);
    expect([second.status, second.text]).toEqual([first?.status, first?.text]);
    expect(second.headers['idempotency-replayed']).toBe('true');
    expect(await count(operation)).toBe(before + made(operation));
  });

  const cases = Object.keys(requests).flatMap((operation) => [
    { operation, fate: 'the answer to COMMIT' },
    { operation, fate: 'COMMIT' },
  ]);

  it.each(cases)('are safe after a 504, on any process: $operation lost $fate', async ({ operation, fate }) => {
    const send = sender(operation);
    const status = requests[operation]![1];
    const before = await count(operation);
    if (fate === 'COMMIT') {
      wire.lose(fate);
    } else {
      wire.loseTheAnswerTo('COMMIT');
    }
    await send(one).expect(504, /outcome-unknown/);
    const again = await send(one).expect(status);
    expect(again.headers['idempotency-replayed']).toBe(fate === 'COMMIT' ? undefined : 'true');
    const third = await send(other).expect(status, again.text);
    expect(third.headers['idempotency-replayed']).toBe('true');
    expect(await count(operation)).toBe(before + made(operation));
  });

  it.each(Object.keys(requests))('wait for the first one while its COMMIT is to come: %s', async (operation) => {
    const send = sender(operation);
    const before = await count(operation);
    const blocker = new Client(database.url);
    await blocker.connect();
    // Whoever has stored it waits here, at the note of its key, with the other one behind.
    await blocker.query('BEGIN; LOCK TABLE idempotent_answer IN SHARE MODE');
    const answers = [one, other].map((app) => send(app).then((answer) => answer));
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    while ((await blocker.query(waiting)).rowCount !== 2) await blocker.query('SELECT pg_stat_clear_snapshot()');
    await blocker.query('COMMIT');
    await blocker.end();
    const [a, b] = (await Promise.all(answers)) as [Awaited<(typeof answers)[0]>, Awaited<(typeof answers)[0]>];
    expect([a.status, b.status, b.text]).toEqual([requests[operation]![1], requests[operation]![1], a.text]);
    expect([a, b].filter(({ headers }) => headers['idempotency-replayed'] === 'true')).toHaveLength(1);
    expect(await count(operation)).toBe(before + made(operation));
  });
});
