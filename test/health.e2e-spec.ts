import { Readiness } from '../src/health';
import { startApp, type RunningApp } from './support/start-app';
import { sqliteFile } from './support/test-database';

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
  let release = () => {};
  const held = running.database.write(async (manager) => {
    await manager.query('UPDATE "migrations" SET "name" = "name"');
    await new Promise<void>((resolve) => (release = resolve));
  });
  expect((await ready().expect(503)).body).toMatchObject({ detail: 'The database does not answer in time.' });
  await running.http.get('/health/live').expect(200);
  release();
  await held;
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
