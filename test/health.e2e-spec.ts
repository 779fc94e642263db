import { setTimeout as sleep } from 'node:timers/promises';
import { Probe } from '../src/platform/database';
import { Readiness } from '../src/platform/health';
import { holdWrites } from './support/held-writes';
import { startApp, type RunningApp } from './support/start-app';
import { onPostgres, sqliteFile } from './support/test-database';

let running: RunningApp;
beforeEach(async () => (running = await startApp()));
afterEach(() => running.stop());

const ready = () => running.http.get('/health/ready');

it('is live and ready', async () => {
  expect((await running.http.get('/health/live').expect(200)).body).toEqual({ status: 'live' });
  expect((await ready().expect(200)).body).toEqual({ status: 'ready' });
});

it('is not ready while draining, and still live', async () => {
  await ready().expect(200);
  running.app.get(Readiness, { strict: false }).drain();
  const { body, headers } = await ready().expect(503);
  expect(body).toMatchObject({ type: '/problems/unavailable', detail: 'The process is about to end.' });
  expect(headers).toHaveProperty('retry-after');
  await running.http.get('/health/live').expect(200);
});

it('is not ready when the database does not answer within a second', async () => {
  const release = await holdWrites(running, async (manager) => onPostgres && manager.query('LOCK TABLE "probe"'));
  expect((await ready().expect(503)).body).toMatchObject({ detail: 'The database does not answer in time.' });
  await running.http.get('/health/live').expect(200);
  await release();
});

it('stores something new each time, in a row of its own that does not stay for ever', async () => {
  const rows = () => running.query<{ process: string; at: number }>('SELECT * FROM "probe" ORDER BY "at"');
  await running.database.write((manager) =>
    manager.query(`INSERT INTO "probe" VALUES ('gone', 1), ('ahead', 9000000000000)`),
  );
  const probe = running.app.get(Probe, { strict: false });
  expect(await probe.isMigrated()).toBe(true);
  const [first, ...others] = await rows();
  expect(others).toEqual([]);
  await sleep(2);
  expect(await probe.isMigrated()).toBe(true);
  const [second] = await rows();
  expect(second!.process).toBe(first!.process);
  expect(second!.at).toBeGreaterThan(first!.at);
});

it('is not ready when the database is not migrated', async () => {
  await running.database.write((manager) => manager.query('DELETE FROM "migrations"'));
  expect((await ready().expect(503)).body).toMatchObject({ detail: 'The database is not migrated.' });
});

it('asks the database once a second, however often it is asked', async () => {
  const write = jest.spyOn(running.database, 'write');
  await Promise.all(Array.from({ length: 20 }, () => ready().expect(200)));
  expect(write).toHaveBeenCalledTimes(1);
});

it('is not ready when the database can be read but not written', async () => {
  const onFile = await startApp({}, sqliteFile());
  await onFile.database.write((manager) => manager.query('PRAGMA query_only = ON'));
  expect((await onFile.http.get('/health/ready').expect(503)).body).toMatchObject({
    detail: 'The database does not store.',
  });
  await onFile.stop();
});
