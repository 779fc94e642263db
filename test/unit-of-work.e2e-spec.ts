import { inspect } from 'node:util';
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

it('shows readers nothing that is not committed', async () => {
  const count = () => running.query(`SELECT 1 FROM pet WHERE name = 'unseen'`).then(({ length }) => length);
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

it('takes on no more than may wait, and answers the rest 503', async () => {
  const narrow = await startApp({ DATABASE_QUEUE_LIMIT: '2', POSTGRES_POOL_SIZE: '1' });
  let letGo = () => {};
  const held = narrow.database.write(() => new Promise<void>((resolve) => (letGo = resolve)));
  const answers = Array.from({ length: 5 }, () => narrow.http.post('/v1/pet').send({ name: 'Rex' }).then());
  const refused = await firstOf(answers, 3);
  for (const { status, body, headers } of refused) {
    expect([status, body.type, headers['retry-after']]).toEqual([503, '/problems/overloaded', '1']);
  }
  letGo();
  await held;
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses.sort()).toEqual([201, 201, 503, 503, 503]);
  await narrow.stop();
});

/** The first `count` of the promises to be fulfilled. */
function firstOf<T>(promises: Promise<T>[], count: number): Promise<T[]> {
  return new Promise((resolve, reject) => {
    const settled: T[] = [];
    for (const promise of promises) {
      promise.then((value) => {
        settled.push(value);
        if (settled.length === count) {
          resolve(settled);
        }
      }, reject);
    }
  });
}
