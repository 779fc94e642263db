import type { EntityManager } from 'typeorm';
import { isForeignKeyViolation, isUniqueViolation } from '../src/platform/database';
import { startApp, type RunningApp } from './support/start-app';

let running: RunningApp;
beforeAll(async () => (running = await startApp()));
afterAll(() => running.stop());

const failure = (work: (manager: EntityManager) => Promise<unknown>) =>
  running.database.write(work).then(
    () => Promise.reject(new Error('The unit did not fail.')),
    (error: unknown) => error,
  );

/** Which of the indexes, and of what could be mistaken for one, is said to be violated. */
const violated = (error: unknown) =>
  ['user_pkey', 'user_username', 'pair_a_b', 'user', 'username'].filter((index) => isUniqueViolation(error, index));

beforeAll(() =>
  running.database.write(async (manager) => {
    await manager.query(`CREATE TABLE pair (a text, b text)`);
    await manager.query(`CREATE UNIQUE INDEX pair_a_b ON pair (a, b)`);
    await manager.query(`INSERT INTO pair VALUES ('x', 'user.username')`);
    await manager.query(`CREATE TABLE owner (id integer PRIMARY KEY)`);
    await manager.query(`CREATE TABLE owned (owner_id integer REFERENCES owner (id))`);
    await manager.query(`INSERT INTO owner VALUES (1)`);
    await manager.query(`INSERT INTO owned VALUES (1)`);
    await manager.query(`INSERT INTO "user" (version, id, username) VALUES (1, 1, 'tess: a.b')`);
  }),
);

it.each([
  [`INSERT INTO "user" (version, id, username) VALUES (1, 1, 'tom')`, ['user_pkey']],
  [`INSERT INTO "user" (version, id, username) VALUES (1, 2, 'tess: a.b')`, ['user_username']],
  [`UPDATE "user" SET username = 'tess: a.b' WHERE id = 3`, ['user_username']],
  [`INSERT INTO pair VALUES ('x', 'user.username')`, ['pair_a_b']],
  [`INSERT INTO "user" (version, id) VALUES (1, NULL)`, []],
  [`INSERT INTO nowhere VALUES (1)`, []],
])('tells after %s which unique index holds the value already', async (sql, indexes) => {
  const error = await failure(async (manager) => {
    await manager.query(`INSERT INTO "user" (version, id, username) VALUES (1, 3, 'tim')`);
    await manager.query(sql);
  });
  expect(violated(error)).toEqual(indexes);
});

it('takes no other error for one', async () => {
  expect(violated(await failure(() => Promise.reject(new Error('UNIQUE constraint failed: user.username'))))).toEqual(
    [],
  );
});

it.each([
  ['INSERT INTO owned VALUES (2)', true],
  ['UPDATE owned SET owner_id = 2', true],
  ['DELETE FROM owner', true],
  [`INSERT INTO "user" (version, id) VALUES (1, 1)`, false],
  [`INSERT INTO "user" (version, id) VALUES (1, NULL)`, false],
  ['INSERT INTO nowhere VALUES (1)', false],
])('tells after %s whether a foreign key refused it', async (sql, refused) => {
  expect(isForeignKeyViolation(await failure((manager) => manager.query(sql)))).toBe(refused);
  expect(isForeignKeyViolation(new Error('FOREIGN KEY constraint failed'))).toBe(false);
});
