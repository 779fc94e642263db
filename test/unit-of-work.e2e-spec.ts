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
