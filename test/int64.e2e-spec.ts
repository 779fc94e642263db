import { Between, In, LessThan, MoreThanOrEqual, Not } from 'typeorm';
import type { Int64 } from '../src/platform/common/json';
import { startApp, type RunningApp } from './support/start-app';
import { onPostgres } from './support/test-database';

/** From the smallest to the largest, with the ends of what a JavaScript number holds exactly, and their neighbours. */
const IDS: Int64[] = [
  -(2n ** 63n),
  -(2n ** 53n) - 1n,
  -(2n ** 53n) + 1n,
  -1,
  1,
  2_147_483_648,
  2 ** 53 - 1,
  2n ** 53n,
  2n ** 53n + 1n,
  2n ** 63n - 2n,
  2n ** 63n - 1n,
].map((id) => (Number.isSafeInteger(Number(id)) ? Number(id) : id));
const LARGEST = 2n ** 63n - 1n;

let running: RunningApp;
beforeAll(async () => (running = await startApp()));
afterAll(() => running.stop());
beforeEach(() =>
  running.database.write(async (manager) => {
    await manager.deleteAll('user');
    await manager.insert(
      'user',
      IDS.map((id) => ({ id, version: 1, username: `user ${id}` })),
    );
  }),
);

interface Row {
  id: Int64;
  username: string;
}
const idsOf = (rows: object[]) => rows.map((row) => (row as Row).id);

it('come back as they were stored, a number where that is exact, else a bigint', async () => {
  const rows = await running.database.read((manager) => manager.find('user', { order: { id: 'ASC' } }));
  expect(idsOf(rows)).toEqual(IDS);
  expect(rows.map((row) => (row as Row).username)).toEqual(IDS.map((id) => `user ${id}`));
});

it('come back alike from raw queries, also those of a writing unit, and from RETURNING', async () => {
  const sql = 'SELECT "id" FROM "user" ORDER BY "id"';
  expect(idsOf(await running.query(sql))).toEqual(IDS);
  const returning = `UPDATE "user" SET "email" = 'x' WHERE "username" = 'user ${LARGEST}' RETURNING "id"`;
  const [inside, returned] = await running.database.write(async (manager) => [
    await manager.query<Row[]>(sql),
    await manager.sql<Row[] | [Row[], number]>`${() => returning}`,
  ]);
  expect(idsOf(inside)).toEqual(IDS);
  expect(returned.flat()).toContainEqual({ id: LARGEST });
  expect(await running.query('SELECT count(*) AS "n", max("id") AS "id" FROM "user"')).toEqual([
    { n: IDS.length, id: LARGEST },
  ]);
});

it.each(IDS)('finds %s by itself and nothing beside it', async (id) => {
  const found = await running.database.read(async (manager) => [
    await manager.findOneBy('user', { id }),
    await manager.findOne('user', { where: { id: In([id]) } }),
    await manager.createQueryBuilder('user', 'u').where('u.id = :id', { id }).getOne(),
    await manager
      .createQueryBuilder('user', 'u')
      .where('u.id IN (:...ids)', { ids: [id] })
      .getOne(),
    await manager.createQueryBuilder('user', 'u').whereInIds([id]).getOne(),
  ]);
  expect(found).toEqual(found.map(() => expect.objectContaining({ id, username: `user ${id}` }) as object));
});

it.each(IDS)('updates and deletes %s and nothing beside it', async (id) => {
  const affected = await running.database.write(async (manager) => [
    await manager.update('user', { id }, { email: 'a@x' }),
    await manager.createQueryBuilder().update('user').set({ phone: '1' }).where('id = :id', { id }).execute(),
    await manager.delete('user', { id }),
  ]);
  expect(affected.map((result) => result.affected)).toEqual([1, 1, 1]);
  expect(idsOf(await running.query('SELECT "id" FROM "user" ORDER BY "id"'))).toEqual(
    IDS.filter((other) => other !== id),
  );
  expect(await running.query(`SELECT 1 FROM "user" WHERE "email" IS NOT NULL OR "phone" IS NOT NULL`)).toEqual([]);
});

it('compare and sort by value', async () => {
  const where = (id: object) =>
    running.database.read(async (manager) =>
      idsOf(await manager.find('user', { where: { id }, order: { id: 'ASC' } })),
    );
  expect(await where(MoreThanOrEqual(2n ** 53n))).toEqual(IDS.slice(7));
  expect(await where(LessThan(2 ** 53))).toEqual(IDS.slice(0, 7));
  expect(await where(Between(2n ** 53n + 1n, 2n ** 63n - 2n))).toEqual(IDS.slice(8, 10));
  expect(await where(Not(LARGEST))).toEqual(IDS.slice(0, -1));
});

it('keep the id that an entity brought', async () => {
  const id = LARGEST - 7n;
  const user = { id, version: 1, username: 'brought' };
  await running.database.write((manager) => manager.insert('user', user));
  expect(user.id).toBe(id);
  if (!onPostgres) {
    const pet = { id: LARGEST, version: 1, name: 'Rex' };
    await running.database.write((manager) => manager.insert('pet', pet));
    expect(pet.id).toBe(LARGEST);
    expect(idsOf(await running.query('SELECT "id" FROM "pet"'))).toEqual([LARGEST]);
  }
});

it('hold times too', async () => {
  const times = { nth: 1, lastUsedAt: 2 ** 53 - 1, expiresAt: Date.UTC(2100, 0) };
  const session = { tokenHash: 'x', userId: 2n ** 63n - 1n, ...times };
  await running.database.write((manager) => manager.insert('session', { ...session }));
  expect(await running.database.read((manager) => manager.find('session'))).toMatchObject([session]);
});
