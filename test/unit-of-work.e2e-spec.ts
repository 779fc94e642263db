import { AsyncResource } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { UnitStuck, type UnitOfWork } from '../src/platform/database';
import { userEntities } from '../src/user';
import { insertPet } from './support/insert-pet';
import { holdWrites } from './support/held-writes';
import { startApp, type RunningApp } from './support/start-app';

let running: RunningApp;
beforeAll(async () => (running = await startApp()));
afterAll(() => running.stop());

it('keeps the rows of acknowledged units and of no other, 50 at a time', async () => {
  const settled = await Promise.allSettled(
    Array.from({ length: 50 }, (_, n) =>
      running.database.write(async (manager) => {
        await manager.query(insertPet(`a${n}`));
        await manager.query(insertPet(`b${n}`));
        if (n % 10 === 3) {
          throw new Error('on purpose');
        }
      }),
    ),
  );
  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(45);
  expect(await running.query('SELECT 1 FROM pet')).toHaveLength(90);
});

it('carries out in their order what a unit asks for at once, and nothing of it when one fails', async () => {
  const names = () => running.query<{ name: string }>('SELECT name FROM pet ORDER BY id');
  // A statement takes longer when it is new, as the first is here.
  const atOnce = (name: string, ...more: string[]) =>
    running.database.write((manager) => {
      const statements = [insertPet(name), `UPDATE pet SET name = name || '!'`, ...more];
      return Promise.all(statements.map((sql) => manager.query(sql)));
    });
  await running.database.write((manager) => manager.deleteAll('pet'));
  await atOnce('Rex');
  await atOnce('Tom');
  expect(await names()).toEqual([{ name: 'Rex!!' }, { name: 'Tom!' }]);
  await expect(atOnce('Ada', 'INSERT INTO nowhere VALUES (1)')).rejects.toThrow('nowhere');
  expect(await names()).toEqual([{ name: 'Rex!!' }, { name: 'Tom!' }]);
});

it('carries out in their order what a unit asks for in one round trip, whatever TypeORM does before each', async () => {
  const { database } = running;
  const users = database.dataSource.getRepository(userEntities[0]);
  const unit = (id: number) =>
    database.write(() =>
      database.inOneRoundTrip([
        () => users.findBy({ id }),
        () => users.insert({ id, version: 1 }),
        () =>
          database.inOneRoundTrip([
            () => users.findOne({ select: { version: true }, where: { id } }),
            () => users.update({ id }, { phone: '1' }),
            () => users.findOneBy({ id, phone: '1' }),
          ]),
        () => users.manager.query(`UPDATE "user" SET version = 2 WHERE phone = '1'`),
        () => users.countBy({ version: 2 }),
      ]),
    );
  const [before, , [inserted, , updated], , count] = await unit(1);
  expect([before, inserted, updated?.id, count]).toEqual([[], { version: 1 }, 1, 1]);
  await expect(unit(1)).rejects.toThrow(/unique/i);
  expect(await users.findBy({ version: 2 })).toHaveLength(1);
  await users.deleteAll();
});

it('carries out nothing that a unit asked for and did not wait for', async () => {
  const { database } = running;
  const ask = (id: number) => database.dataSource.query(`INSERT INTO "user" (id, version) VALUES (${id}, 1)`);
  for (let id = 1; id <= 10; id++) {
    const failing = database.write(() => {
      ask(id).catch(() => undefined);
      return Promise.reject(new Error('on purpose'));
    });
    await expect(failing).rejects.toThrow('on purpose');
    await database.write(() => ask(100 + id));
  }
  const rows = await running.query<{ id: number }>('SELECT id FROM "user"');
  expect(rows.filter(({ id }) => id <= 10)).toEqual([]);
  await database.write((manager) => manager.deleteAll('user'));
});

it('lets the event loop turn while many rows are stored', async () => {
  const users = running.database.dataSource.getRepository(userEntities[0]);
  const chunks = Array.from({ length: 100 }, (_, chunk) =>
    Array.from({ length: 100 }, (__, n) => ({ id: chunk * 100 + n + 1, version: 1 })),
  );
  let turns = 0;
  const count = setInterval(() => (turns += 1));
  const store = () => running.database.inOneRoundTrip(chunks.map((some) => () => users.insert(some)));
  await running.database.write(store, 'bulk').finally(() => clearInterval(count));
  expect(await users.count()).toBe(10_000);
  expect(turns).toBeGreaterThan(1);
  await users.deleteAll();
});

it('keeps what units of one statement store, and nothing of those that fail or whose outer unit fails', async () => {
  await running.database.write((manager) => manager.deleteAll('pet'));
  const { database } = running;
  const names = () => database.dataSource.query<{ name: string }[]>('SELECT name FROM pet ORDER BY name');
  let id = 0;
  const insert = (name: string | null) =>
    database.dataSource.sql`INSERT INTO pet (id, version, name) VALUES (${++id}, 1, ${name})`;
  const store = (name: string | null) => (database.scope ? database.write(() => insert(name)) : insert(name));
  const settled = await Promise.allSettled([store('a'), store(null), store('b'), database.write(() => store('c'))]);
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  const failing = database.write(async () => {
    await store('d');
    expect(await names()).toHaveLength(4);
    await store(null).catch(() => 'never mind');
  });
  await expect(failing).rejects.toThrow(/null/i);
  await expect(database.read(() => store('e'))).rejects.toThrow('A unit that reads cannot write');
  expect((await names()).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
});

it('shows readers nothing that is not committed', async () => {
  // Asked from outside: what is called in the unit would read in it.
  const count = AsyncResource.bind(() =>
    running.query(`SELECT 1 FROM pet WHERE name = 'unseen'`).then(({ length }) => length),
  );
  await running.database.write(async (manager) => {
    await manager.query(insertPet('unseen'));
    expect(await count()).toBe(0);
  });
  expect(await count()).toBe(1);
});

it('tells no value in its errors, which end in the log', async () => {
  const values = { key: 'canary', count: 1, freeAt: 0 };
  const insert = () =>
    running.database.write((manager) =>
      manager.createQueryBuilder().insert().into('login_failures').values(values).execute(),
    );
  await insert();
  const error: unknown = await insert().catch((reason: unknown) => reason);
  expect(inspect(error, { depth: 9 })).toMatch(/QueryFailedError: .*unique/i);
  expect(inspect(error, { depth: 9 })).not.toContain('canary');
});

describe('a unit within a unit', () => {
  beforeEach(() => running.database.write((manager) => manager.deleteAll('pet')));

  const names = async () =>
    (await running.query<{ name: string }>('SELECT name FROM pet ORDER BY id')).map((pet) => pet.name);
  /** As a service does that knows nothing of the unit it is called in. */
  const store = (name: string, fail = false) =>
    running.database.write(async (manager) => {
      await manager.query(insertPet(name));
      if (fail) {
        throw new Error(`${name} on purpose`);
      }
    });
  const onceDone = (name: string) => sleep(1).then(() => store(name));

  it('is stored with the outer one, and seen by what reads in it and by nobody else', async () => {
    const seenOutside = AsyncResource.bind(names);
    await running.database.write(async () => {
      await store('outer');
      await running.database.write(() => store('inner'));
      await Promise.all([store('left'), store('right')]);
      expect(await names()).toEqual(['outer', 'inner', 'left', 'right']);
      expect(await seenOutside()).toEqual([]);
    });
    expect(await names()).toEqual(['outer', 'inner', 'left', 'right']);
  });

  it('goes with the outer one when that fails', async () => {
    const failing = running.database.write(async () => {
      await store('inner');
      throw new Error('outer on purpose');
    });
    const [failed] = await Promise.allSettled([failing, store('neighbour')]);
    expect(failed).toMatchObject({ status: 'rejected', reason: new Error('outer on purpose') });
    expect(await names()).toEqual(['neighbour']);
  });

  it('takes the outer one with it when it fails, even where its error is caught', async () => {
    const caught = running.database.write(async () => {
      await store('outer');
      await store('inner', true).catch(() => 'never mind');
    });
    await expect(caught).rejects.toThrow('inner on purpose');
    expect(await names()).toEqual([]);
  });

  it('is joined by fifty at once, each in its own', async () => {
    const settled = await Promise.allSettled(
      Array.from({ length: 50 }, (_, n) =>
        running.database.write(async () => {
          await store(`a${n}`);
          await store(`b${n}`, n % 10 === 3);
        }),
      ),
    );
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(45);
    const stored = await names();
    expect(stored).toHaveLength(90);
    expect(stored.filter((name) => /^.(3|13|23|33|43)$/.test(name))).toEqual([]);
  });

  it('may not write in one that reads', async () => {
    await expect(running.database.read(() => store('never'))).rejects.toThrow('A unit that reads cannot write');
    await expect(running.database.read(() => names())).resolves.toEqual([]);
  });

  it('is one of its own when the outer one is done, and refused when that has failed', async () => {
    let late!: Promise<void>;
    await running.database.write(() => {
      late = onceDone('late');
      return Promise.resolve();
    });
    await late;
    let orphan!: Promise<void>;
    const failing = running.database.write(() => {
      orphan = onceDone('orphan');
      return Promise.reject(new Error('on purpose'));
    });
    await expect(failing).rejects.toThrow('on purpose');
    await expect(orphan).rejects.toThrow('has failed and was rolled back');
    expect(await names()).toEqual(['late']);
  });
});

describe('a unit that awaits something other than its manager', () => {
  beforeEach(() => running.database.write((manager) => manager.deleteAll('pet')));

  it('is given up, and named; the others go on, and nothing of it is stored, then or later; one that only reads, too', async () => {
    const impatient = Object.create(running.database, { limitMs: { value: 300 } }) as UnitOfWork;
    let goOn = () => {};
    let resumed: unknown;
    const stuck = impatient.write(async (manager) => {
      await manager.query(insertPet('stuck'));
      await new Promise<void>((resolve) => (goOn = resolve));
      resumed = await manager.query(insertPet('resumed')).catch((error: unknown) => error);
      resumed ??= await impatient.write((other) => other.insert('pet', { id: 1, version: 1, name: 'resumed' }));
    });
    const reading = impatient.read(() => new Promise(() => {}));
    const others = ['one', 'two'].map((name) => running.http.post('/v1/pet').send({ name }).expect(201));
    const expected = expect(reading).rejects.toThrow(UnitStuck);
    const [reason] = await Promise.all([stuck.catch((error: unknown) => error as Error), ...others]);
    await expected;
    expect(reason).toBeInstanceOf(UnitStuck);
    expect(String(reason)).toMatch(/given up after 300 ms.*Await only the database in it.*goOn/s);
    goOn();
    await running.http.post('/v1/pet').send({ name: 'three' }).expect(201);
    expect(resumed).toBeInstanceOf(Error);
    const pets = await running.query<{ name: string }>('SELECT name FROM pet');
    expect(pets.map(({ name }) => name).sort()).toEqual(['one', 'three', 'two']);
  });
});

it('takes on no more than may wait, and answers the rest 503', async () => {
  const narrow = await startApp({ OPERATION_LIMIT: '1', POSTGRES_POOL_SIZE: '1' });
  const release = await holdWrites(narrow);
  const waiting = Array.from({ length: 4 }, (_, n) => narrow.database.write(async () => Promise.resolve(n)));
  const create = () => narrow.http.post('/v1/pet').send({ name: 'Rex' });
  const { status, body, headers } = await create();
  expect([status, body.type, headers['retry-after']]).toEqual([503, '/problems/overloaded', '1']);
  await release();
  expect(await Promise.all(waiting)).toEqual([0, 1, 2, 3]);
  await create().expect(201);
  await narrow.stop();
});
