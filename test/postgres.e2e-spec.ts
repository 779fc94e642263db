import { setTimeout } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Client } from 'pg';
import type { EntityManager } from 'typeorm';
import { hold } from './support/hold';
import { startApp, tokenFor, type RunningApp } from './support/start-app';
import { createTestDatabase, lasting, onPostgres, withLeastRights, type TestDatabase } from './support/test-database';
import { until } from './support/until';
import { Wire } from './support/wire';

(onPostgres ? describe : describe.skip)('a server on PostgreSQL', () => {
  let database: TestDatabase;
  let wire: Wire;
  let other: Client;
  let running: RunningApp;

  const start = (settings: Record<string, string> = {}) =>
    startApp({ POSTGRES_POOL_SIZE: '5', ...settings }, lasting({ ...database, url: wire.url }));
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

  const create = (name = 'Rex') => running.http.post('/v1/pet').send({ name });
  const count = async () => Number((await other.query<{ n: string }>('SELECT count(*) AS n FROM pet')).rows[0]!.n);
  const insert = (manager: EntityManager) =>
    manager.query(`INSERT INTO pet (id, version, name) VALUES (nextval('pet_id_seq'), 1, 'Rex')`);
  const problem = (type: string) => ({ body: { type: `/problems/${type}` } });

  it('starts while another session holds the lock of the migrations, where nothing is to migrate', async () => {
    await other.query('SELECT pg_advisory_lock(7387246)');
    await (await start()).stop();
  });

  it('says whom it waits for where something is to migrate, and goes on when the lock is free', async () => {
    const warned = jest.spyOn(Logger.prototype, 'warn');
    const empty = await createTestDatabase();
    const locking = new Client(empty.url);
    await locking.connect();
    await locking.query('SELECT pg_advisory_lock(7387246)');
    const starting = startApp({}, lasting(empty));
    await until(() => warned.mock.calls.some(([line]) => /lock of the migrations .* at most 60 s/.test(String(line))));
    await locking.query('SELECT pg_advisory_unlock(7387246)');
    await (await starting).stop();
    await locking.end();
    await empty.drop();
  });

  it('runs a unit again whose connection dropped before COMMIT, and stores it once', async () => {
    let runs = 0;
    await running.database.write(async (manager) => {
      await insert(manager);
      runs += 1;
      if (runs === 1) {
        await wire.cut();
        await wire.mend();
      }
      await insert(manager);
    });
    expect([runs, await count()]).toEqual([2, 2]);
  });

  it.each([
    ['is seen to have ended', () => setTimeout(200)],
    ['has ended unseen', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)],
  ])('runs a unit again whose connection %s before COMMIT, and stores it once', async (_, pause) => {
    let runs = 0;
    await running.database.write(async (manager) => {
      await insert(manager);
      runs += 1;
      if (runs === 1) {
        await manager.query(`SET LOCAL idle_in_transaction_session_timeout = '50ms'`);
        await pause();
      }
    });
    expect([runs, await count()]).toEqual([2, 1]);
  });

  it('answers 504 when COMMIT was sent and no answer came, and does not run the unit again', async () => {
    wire.loseTheAnswerTo('COMMIT');
    expect(await create().expect(504)).toMatchObject(problem('outcome-unknown'));
    expect(await count()).toBe(1);
    await create().expect(201);
  });

  it('runs a unit again that could not be serialized, also when that shows at its end', async () => {
    let runs = 0;
    await running.database.write(async (manager) => {
      await insert(manager);
      runs += 1;
      if (runs <= 2) {
        await failAtCommit(manager, '40001');
      }
    });
    expect([runs, await count()]).toEqual([3, 1]);
  });

  it('runs a unit again that was the victim of a deadlock', async () => {
    await create('a');
    await create('b');
    const lock = (manager: EntityManager, name: string) =>
      manager.query(`UPDATE pet SET breed = breed WHERE name = $1`, [name]);
    let runs = 0;
    let bothHoldOne = () => {};
    const met = new Promise<void>((resolve) => (bothHoldOne = resolve));
    const unit = (first: string, second: string) =>
      running.database.write(async (manager) => {
        await lock(manager, first);
        runs += 1;
        if (runs === 2) {
          bothHoldOne();
        }
        await met;
        await lock(manager, second);
      });
    await Promise.all([unit('a', 'b'), unit('b', 'a')]);
    expect(runs).toBe(3);
  });

  it('answers 409 when another writer stored the username at the same moment', async () => {
    await other.query('BEGIN');
    await other.query(`INSERT INTO "user" (version, id, username) VALUES (1, 4711, 'tess')`);
    const answer = running.http
      .post('/v2/user/createWithList')
      .send([{}, { username: 'tess' }])
      .then();
    await untilSomebodyWaitsForALock();
    await other.query('COMMIT');
    expect(await answer).toMatchObject({ status: 409, body: { errors: [{ pointer: '/1/username' }] } });
  });

  it('answers 503 when a lock is not to be had in time, and goes on', async () => {
    await running.stop();
    running = await start({ POSTGRES_STATEMENT_TIMEOUT_MS: '200' });
    await other.query('BEGIN');
    await other.query('LOCK TABLE pet');
    const { body, headers } = await create().expect(503);
    expect([body.type, headers['retry-after']]).toEqual(['/problems/unavailable', '1']);
    await other.query('ROLLBACK');
    await create().expect(201);
  });

  it('answers 503 when no connection is to be had in time, and goes on', async () => {
    await running.stop();
    running = await start({ POSTGRES_POOL_SIZE: '1', POSTGRES_CONNECT_TIMEOUT_MS: '300' });
    await running.database.write(async () => {
      expect(await create().expect(503)).toMatchObject(problem('unavailable'));
    });
    await create().expect(201);
  });

  it('answers 503 when a connection falls silent, and goes on with another', async () => {
    await running.stop();
    running = await start({
      POSTGRES_POOL_SIZE: '1',
      POSTGRES_STATEMENT_TIMEOUT_MS: '200',
      POSTGRES_CONNECT_TIMEOUT_MS: '300',
    });
    await create().expect(201);
    wire.hold();
    expect(await create().expect(503)).toMatchObject(problem('unavailable'));
    await create().expect(201);
  });

  it('answers 503 while the server cannot be reached, and goes on by itself', async () => {
    await create().expect(201);
    await wire.cut();
    expect(await create().expect(503)).toMatchObject(problem('unavailable'));
    await wire.mend();
    await create().expect(201);
    expect(await count()).toBe(2);
  });

  it('sets the time-outs of the settings on every connection', async () => {
    await running.stop();
    running = await start({ POSTGRES_STATEMENT_TIMEOUT_MS: '7002' });
    for (const [name, value] of [
      ['statement_timeout', '7002ms'],
      ['lock_timeout', '3501ms'],
      ['idle_in_transaction_session_timeout', '10s'],
    ]) {
      expect(await running.query(`SHOW ${name}`)).toEqual([{ [name!]: value }]);
    }
  });

  it('does not start without its server, and says why', async () => {
    await wire.cut();
    await expect(start()).rejects.toThrow(/The database that DATABASE_URL names cannot be used: .*ECONNREFUSED/);
    await wire.mend();
  });

  it('refuses a server without TLS when TLS is required', async () => {
    await expect(start({ POSTGRES_TLS: 'require' })).rejects.toThrow(/does not support SSL/);
  });

  it('gives no kind of work all connections: while bulk work waits, pets are made, users log in, and it is ready', async () => {
    const token = await tokenFor(running);
    const { released, release } = hold();
    const bulk = Array.from({ length: 30 }, () => running.database.write(() => released, 'bulk'));
    await Promise.all(Array.from({ length: 20 }, () => create().expect(201)));
    await running.http.get('/health/ready').expect(200);
    await running.http.get('/v2/user/login').query({ username: 'tess', password: 'right' }).expect(200);
    await running.http
      .put('/v2/pet')
      .set('Authorization', `Bearer ${token}`)
      .send({ id: 1, name: 'x', photoUrls: [] })
      .expect(200);
    release();
    await Promise.all(bulk);
  });

  it('is ready, and knows sessions, also while usual work takes all that it may', async () => {
    const token = await tokenFor(running);
    const { released, release } = hold();
    const units = Array.from({ length: 20 }, () => running.database.write(() => released));
    await running.http.get('/health/ready').expect(200);
    await running.http.put('/v2/pet').set('Authorization', `Bearer ${token}`).send({ id: 'x' }).expect(400);
    release();
    await Promise.all(units);
  });

  it('runs units READ COMMITTED, whatever the default of the database', async () => {
    await running.stop();
    await other.query(`ALTER DATABASE ${other.database} SET default_transaction_isolation = 'serializable'`);
    running = await start();
    const { dataSource } = running.database;
    const level = () =>
      dataSource.query<object[]>(
        `WITH one AS (SELECT 1) SELECT current_setting('transaction_isolation') AS transaction_isolation FROM one`,
      );
    expect(await running.database.write(level)).toEqual([{ transaction_isolation: 'read committed' }]);
    expect(await level()).toEqual([{ transaction_isolation: 'read committed' }]);
    const bulks = Array.from({ length: 20 }, (_, n) =>
      running.http.post('/v2/user/createWithList').send([{ username: `a${n}` }, { username: `b${n}` }]),
    );
    expect(new Set((await Promise.all(bulks)).map(({ status }) => status))).toEqual(new Set([200]));
  });

  it.each(['LATIN1', 'SQL_ASCII'])('refuses to start on a database in %s', async (encoding) => {
    const narrow = `${other.database}_narrow`;
    await other.query(
      `CREATE DATABASE ${narrow} ENCODING '${encoding}' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`,
    );
    const url = Object.assign(new URL(database.url), { pathname: narrow }).href;
    try {
      await expect(startApp({}, { url, drop: () => Promise.resolve() })).rejects.toThrow(
        `The database stores text as ${encoding}; it must be UTF8: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0.`,
      );
    } finally {
      await other.query(`DROP DATABASE ${narrow} WITH (FORCE)`);
    }
  });

  describe('as a role that may only read and write rows', () => {
    let owned: TestDatabase;
    let asService: TestDatabase;
    beforeEach(async () => {
      owned = await createTestDatabase();
      asService = { url: await withLeastRights(owned.url), drop: () => Promise.resolve() };
    });
    afterEach(() => owned.drop());

    it('serves once the owner has migrated', async () => {
      const service = await startApp({}, asService);
      const token = await tokenFor(service);
      await service.http.post('/v1/pet').send({ name: 'Rex' }).expect(201);
      await service.http.get('/health/ready').expect(200);
      await service.http.get('/v2/user/logout').set('Authorization', `Bearer ${token}`).expect(200);
      const change = service.database.write((manager) => manager.query('CREATE TABLE more (id int)'));
      await expect(change).rejects.toThrow(/permission denied/);
      await service.stop();
    });

    it('does not start before, and says who has to', async () => {
      const client = new Client(owned.url);
      await client.connect();
      await client.query('DELETE FROM "migrations"').finally(() => client.end());
      await expect(startApp({}, asService)).rejects.toThrow(
        'The schema is not up to date, and this role may not change it: run "migrate" as its owner.',
      );
    });
  });

  describe('in groups', () => {
    const trip = () => (wire.sent.match(/COMMIT\0/g) ?? []).length;
    const ask = (sql: string) => running.database.dataSource.query<{ id: number }[]>(sql);
    const one = () => ask(`INSERT INTO pet (id, version, name) VALUES (nextval('pet_id_seq'), 1, 'Rex') RETURNING id`);
    const broken = () => ask('INSERT INTO pet (id) VALUES (1 / 0) RETURNING id');

    it('stores units of one statement that wait in few transactions', async () => {
      const before = trip();
      const rows = await Promise.all(Array.from({ length: 100 }, one));
      expect(new Set(rows.map(([row]) => row!.id)).size).toBe(100);
      expect(await count()).toBe(100);
      expect(trip() - before).toBeLessThan(10);
    });

    it('lets each fail alone', async () => {
      const settled = await Promise.allSettled(Array.from({ length: 50 }, (_, n) => (n % 10 === 3 ? broken() : one())));
      const failed = settled.flatMap(({ status }, n) => (status === 'rejected' ? n : []));
      expect(failed).toEqual([3, 13, 23, 33, 43]);
      expect(await count()).toBe(45);
    });

    it('does not let others wait for the lock that some wait for, whether they share a group or not', async () => {
      await create('locked');
      await other.query('BEGIN');
      await other.query(`SELECT 1 FROM pet WHERE name = 'locked' FOR UPDATE`);
      const waiting: Promise<unknown>[] = [];
      for (let n = 0; n < 3; n++) {
        waiting.push(ask(`UPDATE pet SET breed = '${n}' WHERE name = 'locked'`));
        await Promise.all(Array.from({ length: 5 * n }, one));
      }
      await other.query('COMMIT');
      await Promise.all(waiting);
      expect(await count()).toBe(16);
    });

    it('runs them again when their connection dropped before COMMIT, and stores each once', async () => {
      await create();
      wire.loseTheAnswerTo('INSERT INTO pet');
      await Promise.all(Array.from({ length: 10 }, one));
      expect(await count()).toBe(11);
    });
  });

  /** Makes COMMIT fail with this SQLSTATE, by a check that is put off until then. */
  const failAtCommit = async (manager: EntityManager, code: string) => {
    await manager.query(`CREATE FUNCTION pg_temp.fail() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION USING ERRCODE = '${code}'; END $$`);
    await manager.query(`CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON pet DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION pg_temp.fail()`);
    await insert(manager);
  };

  const untilSomebodyWaitsForALock = async () => {
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    // Within a transaction the server shows the same activity again, unless told to look anew.
    while ((await other.query(waiting)).rowCount === 0) await other.query('SELECT pg_stat_clear_snapshot()');
  };
});
