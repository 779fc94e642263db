import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import type { EntityManager } from 'typeorm';
import { startApp, tokenFor, type RunningApp } from './support/start-app';
import { createTestDatabase, lasting, onPostgres, type TestDatabase } from './support/test-database';
import { Wire } from './support/wire';

(onPostgres ? describe : describe.skip)('a PostgreSQL server that fails over', () => {
  let database: TestDatabase;
  let wire: Wire;
  let other: Client;
  let running: RunningApp;

  const start = (settings: Record<string, string> = {}) => startApp(settings, lasting({ ...database, url: wire.url }));
  beforeEach(async () => {
    database = await createTestDatabase();
    wire = await Wire.to(database.url);
    other = new Client(database.url);
    await other.connect();
    running = await start();
  });
  afterEach(async () => {
    await running.stop();
    await wire.cut();
    await other.end();
    await database.drop();
  });

  const create = () => running.http.post('/v1/pet').send({ name: 'Rex' }).then();
  const count = async () => Number((await other.query<{ n: string }>('SELECT count(*) AS n FROM pet')).rows[0]!.n);
  const insert = (manager: EntityManager) =>
    manager.query(`INSERT INTO pet (id, version, name) VALUES (nextval('pet_id_seq'), 1, 'Rex')`);
  const rex = { id: 1000, version: 1, name: 'Rex' };
  const many = (n: number) => Promise.all(Array.from({ length: n }, create));
  const statuses = (answers: { status: number }[]) => [...new Set(answers.map(({ status }) => status))];

  /** The connections that are opened from now on refuse to write, as on a primary that became a standby. */
  const demote = () => other.query(`ALTER DATABASE ${other.database} SET default_transaction_read_only = on`);
  /** Those that the service has open refuse to write, as behind a pooler whose server became a standby. */
  const demoteOpen = () =>
    Promise.all(
      Array.from({ length: 9 }, () =>
        running.database.write(async (manager) => {
          await manager.query('SET default_transaction_read_only = on');
          await setTimeout(100); // so that each has a connection of its own
        }),
      ),
    );
  const promote = () => other.query(`ALTER DATABASE ${other.database} RESET default_transaction_read_only`);

  it('leaves connections that refuse to write, and stores what they refused on fresh ones', async () => {
    const token = await tokenFor(running);
    await demoteOpen();
    expect(statuses(await many(20))).toEqual([201]);
    expect(await count()).toBe(20);
    await running.http.get('/health/ready').expect(200);
    await running.http.get('/v2/user/login').query({ username: 'tess', password: 'right' }).expect(200);
    await running.http.get('/v2/user/logout').set('Authorization', `Bearer ${token}`).expect(200);
  });

  it('tells nothing that only a standby knows: it may lag, or know what its successor lacks', async () => {
    await create();
    await wire.cut();
    // What a standby says, by a function that is found before the server's own.
    await other.query(`CREATE FUNCTION public.pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS 'SELECT true'`);
    await other.query(`ALTER DATABASE ${other.database} SET search_path = public, pg_catalog`);
    await wire.mend();
    await running.http.get('/v1/pet/1').expect(503);
    await other.query('DROP FUNCTION public.pg_is_in_recovery()');
    await running.http.get('/v1/pet/1').expect(200);
  });

  it('gives a repeat its answer only when the server that knows it can still commit', async () => {
    const send = () => running.http.post('/v1/pet').set('Idempotency-Key', 'k').send({ name: 'Rex' });
    await send().expect(201);
    await demoteOpen();
    await demote();
    await send().expect(503);
    await promote();
    await send().expect(201).expect('Idempotency-Replayed', 'true');
    expect(await count()).toBe(1);
  });

  it('answers 503 and stores nothing while every connection refuses to write, and reads go on', async () => {
    const token = await tokenFor(running);
    await wire.cut();
    await demote();
    await wire.mend();
    const reads = Array.from({ length: 20 }, () =>
      running.http.get('/v2/user/tess').set('Authorization', `Bearer ${token}`).then(),
    );
    expect(statuses(await many(20))).toEqual([503]);
    expect(statuses(await Promise.all(reads))).toEqual([200]);
    await running.http.get('/health/ready').expect(503);
    await promote();
    await setTimeout(1_000); // An answer about the database stands for a second.
    await running.http.get('/health/ready').expect(200);
    expect(await count()).toBe(0);
  });

  it.each<[string, (manager: EntityManager) => Promise<unknown>]>([
    ['a query', insert],
    ['a template', (manager) => manager.sql`INSERT INTO pet (id, version, name) VALUES (1000, 1, ${'Rex'})`],
    ['an insert', (manager) => manager.insert('Pet', rex)],
    ['a query builder', (manager) => manager.createQueryBuilder().insert().into('Pet').values(rex).execute()],
    ['a repository', (manager) => manager.getRepository('Pet').insert(rex)],
    ['save', (manager) => manager.save('Pet', rex)],
  ])('runs a unit again whose connection ended before %s', async (_, statement) => {
    let runs = 0;
    await running.database.write(async (manager) => {
      await insert(manager);
      runs += 1;
      if (runs === 1) {
        await wire.cut();
        await wire.mend();
        await setTimeout(50); // until the service has heard of it
      }
      await statement(manager);
    });
    expect([runs, await count()]).toEqual([2, 2]);
  });

  it.each(['40003', '08007'])('answers 504 when the server does not know how COMMIT ended (%s)', async (code) => {
    await other.query(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION USING ERRCODE = '${code}'; END $$`);
    await other.query(`CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON pet DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION fail()`);
    expect(await create()).toMatchObject({ status: 504, body: { type: '/problems/outcome-unknown' } });
  });

  it('does not call a unit stored whose COMMIT was answered ROLLBACK', async () => {
    const swallowing = running.database.write(async (manager) => {
      await insert(manager);
      await manager.query('SELECT 1 / 0').catch(() => undefined);
    });
    await expect(swallowing).rejects.toThrow(/nothing was stored/);
    expect(await count()).toBe(0);
  });

  it('gives up a connection that is silent while a fresh one answers, and runs its unit again', async () => {
    await many(5);
    wire.hold();
    expect(statuses(await many(20))).toEqual([201]);
    expect(await count()).toBe(25);
  });

  it('answers 504 when that happened at COMMIT', async () => {
    wire.silenceTheAnswerTo('COMMIT');
    expect(await create()).toMatchObject({ status: 504, body: { type: '/problems/outcome-unknown' } });
    expect(await count()).toBe(1);
    expect((await create()).status).toBe(201);
  });

  it('refuses before long what a server that is silent altogether does not do, and goes on with its successor', async () => {
    await many(5);
    wire.freeze();
    const refused = await Promise.all([
      ...Array.from({ length: 20 }, create),
      running.http.get('/health/ready').then(),
    ]);
    expect(statuses(refused)).toEqual([503]);
    wire.replace();
    expect(statuses(await many(20))).toEqual([201]);
    expect(await count()).toBe(25);
  }, 15_000);

  it.each([
    ['works', 'SELECT pg_sleep(2)'],
    ['waits for a lock', 'LOCK TABLE pet'],
  ])(
    'lets a statement take its time while the server %s on it',
    async (_, statement) => {
      await other.query('BEGIN');
      await other.query('LOCK TABLE pet');
      const released = setTimeout(2_000).then(() => other.query('COMMIT'));
      let runs = 0;
      await running.database.write((manager) => {
        runs += 1;
        return manager.query(statement);
      });
      await released;
      expect(runs).toBe(1);
    },
    15_000,
  );
});
