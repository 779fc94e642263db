import { startApp, type RunningApp } from './support/start-app';
import { sqliteFile } from './support/test-database';

let running: RunningApp;
beforeAll(async () => (running = await startApp({}, sqliteFile())));
afterAll(() => running.stop());

it('lets readers write nothing', async () => {
  await expect(running.query('DELETE FROM pet')).rejects.toThrow();
});

it('goes on after SQLite itself rolled back the whole transaction', async () => {
  const insert = (name: string) =>
    running.database.write((manager) => manager.query(`INSERT INTO pet (name) VALUES ('${name}')`));
  const broken = running.database.write(async (manager) => {
    await manager.query('ROLLBACK');
    throw new Error('disk full');
  });
  const [, neighbour] = await Promise.allSettled([broken, insert('neighbour')]);
  await expect(broken).rejects.toThrow();
  await insert('later');
  const rows = await running.query<{ name: string }>(`SELECT name FROM pet WHERE name IN ('neighbour', 'later')`);
  expect(rows.map(({ name }) => name)).toEqual(neighbour.status === 'fulfilled' ? ['neighbour', 'later'] : ['later']);
});
