import { AsyncResource } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { Insertion, JoiningUnitOfWork, Statement, UnitStuck } from '../src/database';
import { userEntities } from '../src/user';
import { holdWrites } from './support/held-writes';
import { startApp, type RunningApp } from './support/start-app';

let running: RunningApp;
beforeAll(async () => (running = await startApp()));
afterAll(() => running.stop());

it('keeps the rows of acknowledged units and of no other, 50 at a time', async () => {
  const settled = await Promise.allSettled(
    Array.from({ length: 50 }, (_, n) =>
      running.database.write(async (manager) => {
        await manager.query(`INSERT INTO pet (name) VALUES ('a${n}')`);
        await manager.query(`INSERT INTO pet (name) VALUES ('b${n}')`);
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
      const statements = [`INSERT INTO pet (name) VALUES ('${name}')`, `UPDATE pet SET name = name || '!'`, ...more];
      return Promise.all(statements.map((sql) => manager.query(sql)));
    });
  await running.database.write((manager) => manager.deleteAll('pet'));
  await atOnce('Rex');
  await atOnce('Tom');
  expect(await names()).toEqual([{ name: 'Rex!!' }, { name: 'Tom!' }]);
  await expect(atOnce('Ada', 'INSERT INTO nowhere VALUES (1)')).rejects.toThrow('nowhere');
  expect(await names()).toEqual([{ name: 'Rex!!' }, { name: 'Tom!' }]);
});

it('lets the event loop turn while many rows are stored, and answers those that were there', async () => {
  const [User] = userEntities as [(typeof userEntities)[number]];
  const insertion = new Insertion(User, 'id');
  const users = Array.from({ length: 20_000 }, (_, n) => Object.assign(new User(), { id: n + 1, version: 1 }));
  const store = (some: InstanceType<typeof User>[]) =>
    running.database.write((manager) => insertion.storeFree(manager, some), 'bulk');
  expect(await store(users.slice(0, 2))).toEqual([]);
  let turns = 0;
  const count = setInterval(() => (turns += 1));
  const met = await store(users).finally(() => clearInterval(count));
  expect(met).toEqual(users.slice(0, 2));
  expect(turns).toBeGreaterThan(1);
  await running.database.write((manager) => manager.deleteAll('user'));
});

it('keeps what units of one statement store, and nothing of those that fail or whose outer unit fails', async () => {
  await running.database.write((manager) => manager.deleteAll('pet'));
  const { database } = running;
  const insert = new Statement<{ name: string }>('INSERT INTO pet (name) VALUES (?) RETURNING name');
  const names = new Statement<{ name: string }>('SELECT name FROM pet ORDER BY name').with([]);
  const store = (name: string | null) => database.writeOne(insert.with([name]));
  const settled = await Promise.allSettled([store('a'), store(null), store('b'), database.write(() => store('c'))]);
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  const failing = database.write(async () => {
    await store('d');
    expect(await database.readOne(names)).toHaveLength(4);
    await store(null).catch(() => 'never mind');
  });
  await expect(failing).rejects.toThrow(/null/i);
  await expect(database.read(() => store('e'))).rejects.toThrow('A unit that reads cannot write');
  expect((await database.readOne(names)).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
});

it('shows readers nothing that is not committed', async () => {
  // Asked from outside: what is called in the unit would read in it.
  const count = AsyncResource.bind(() =>
    running.query(`SELECT 1 FROM pet WHERE name = 'unseen'`).then(({ length }) => length),
  );
  await running.database.write(async (manager) => {
    await manager.query(`INSERT INTO pet (name) VALUES ('unseen')`);
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
      await manager.query(`INSERT INTO pet (name) VALUES ('${name}')`);
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
      expect(await running.database.readLagging((manager) => manager.count('pet'))).toBe(4);
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
    const impatient = new JoiningUnitOfWork(running.database, 300);
    let goOn = () => {};
    let resumed: unknown;
    const stuck = impatient.write(async (manager) => {
      await manager.query(`INSERT INTO pet (name) VALUES ('stuck')`);
      await new Promise<void>((resolve) => (goOn = resolve));
      resumed = await manager.query(`INSERT INTO pet (name) VALUES ('resumed')`).catch((error: unknown) => error);
      resumed ??= await impatient.write((other) => other.insert('pet', { name: 'resumed' }));
    });
    const reading = impatient.read(() => new Promise(() => {}));
    const others = ['one', 'two'].map((name) => running.http.post('/v1/pet').send({ name }).expect(201));
    const expected = expect(reading).rejects.toThrow(UnitStuck);
    const [reason] = await Promise.all([stuck.catch((error: unknown) => error as Error), ...others]);
    await expected;
    expect(reason).toBeInstanceOf(UnitStuck);
    expect(String(reason)).toMatch(/given up after 300 ms.*await nothing but its manager.*goOn/s);
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
