import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { loadConfig } from '../src/platform/config';
import { maintenanceDataSource } from '../src/platform/database';
import { entities } from '../src/entities';
import { startApp } from './support/start-app';
import { createTestDatabase, lasting, onPostgres, type TestDatabase } from './support/test-database';

/*
 * A database that release 0.1.0 filled: pets with and without tags, the largest integers, a user with a session.
 * The last pet, 9, was removed by the operator.
 */

let database: TestDatabase;
let dataSource: DataSource;

beforeEach(async () => {
  database = await createTestDatabase();
  const fixture = join(__dirname, 'fixtures', `release-0.1.0.${onPostgres ? 'sql' : 'sqlite'}`);
  if (onPostgres) {
    const client = new Client(database.url);
    await client.connect();
    await client.query(readFileSync(fixture, 'utf8')).finally(() => client.end());
  } else {
    copyFileSync(fixture, database.url.replace('sqlite:', ''));
  }
  const { database: settings } = loadConfig({ DATABASE_URL: database.url });
  dataSource = await maintenanceDataSource(settings, entities).initialize();
});
afterEach(async () => {
  await dataSource.destroy();
  await database.drop();
});

const rows = (sql: string) => dataSource.query<Record<string, unknown>[]>(sql);
const pets = () => rows('SELECT * FROM "pet" ORDER BY "id"');
const undoAllButTheFirst = async () => {
  for (const _ of dataSource.migrations.slice(1)) {
    await dataSource.undoLastMigration();
  }
};

it('keeps every pet with its tags, in their order, as often as they stand there, and finds it by each name', async () => {
  const before = await pets();
  expect(before).toHaveLength(8);
  await dataSource.runMigrations();
  expect(await pets()).toEqual(before.map((pet) => ({ ...pet, version: 1, photos_uploaded: null })));
  const index = await rows('SELECT "pet_id", "name" FROM "pet_tag" ORDER BY "pet_id"');
  for (const { id, tags } of before) {
    const names = JSON.parse((tags as string | null) ?? '[]').flatMap(({ name }: { name?: string }) => name ?? []);
    const indexed = index.filter(({ pet_id }) => pet_id === id).map(({ name }) => name as string);
    expect(indexed.sort()).toEqual([...new Set<string>(names as string[])].sort());
  }
});

it('gives all of it back to the older release, byte for byte', async () => {
  const before = await pets();
  const users = await rows('SELECT * FROM "user" ORDER BY "id"');
  await dataSource.runMigrations();
  await undoAllButTheFirst();
  expect(await pets()).toEqual(before);
  expect(await rows('SELECT * FROM "user" ORDER BY "id"')).toEqual(users);
  // As the older release stores a pet: with the next number.
  await dataSource.query(`INSERT INTO "pet" ("name") VALUES ('new')`);
  expect((await pets()).at(-1)).toMatchObject({ id: 10, name: 'new' });
});

it('numbers on, past the pet that is gone, also when it went back and forth between the releases', async () => {
  const first = await startApp({}, lasting(database));
  const { body } = await first.http.post('/v1/pet').send({ name: 'Rex' }).expect(201);
  await first.stop();
  expect(body.id).toBe(10);
  await dataSource.query('DELETE FROM "pet" WHERE "id" = 10');
  await undoAllButTheFirst();
  await dataSource.query(`INSERT INTO "pet" ("name") VALUES ('new')`);
  const second = await startApp({}, lasting(database));
  const answer = await second.http.post('/v1/pet').send({ name: 'Rex' }).expect(201);
  await second.stop();
  expect([...(await pets()).map(({ id }) => id)]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 11, 12]);
  expect(answer.body.id).toBe(12);
});

it('leaves sessions alive', async () => {
  // Its session lasts a day from when it was begun.
  const [session] = await dataSource.query<{ begun: number }[]>('SELECT "last_used_at" AS "begun" FROM "session"');
  const running = await startApp({}, lasting(database), { now: () => Number(session!.begun) + 60_000 });
  await running.http.get('/v2/user/login').query({ username: 'tess', password: 'right' }).expect(200);
  await running.http.get('/v2/user/login').query({ username: 'tess', password: 'wrong' }).expect(401);
  expect(await running.query('SELECT 1 FROM "session"')).toHaveLength(2);
  await running.stop();
});
