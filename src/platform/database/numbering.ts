import { randomInt } from 'node:crypto';
import type { EntityManager, QueryDeepPartialEntity } from 'typeorm';
import type { Int64 } from '../common/json';
import { Unavailable } from '../common/problem';
import { isUniqueViolation } from './constraint-violation';
import { isPostgres } from './dialect';
import type { UnitOfWork } from './unit-of-work';

/** One look at the taken numbers. Past a run that fills many looks, the numbering leaps. */
const MOST_AT_ONCE = 1_024;

/**
 * Draws `count` ids for a table whose clients may bring ids of their own; neither taken ones nor those to `avoid` are
 * among them. The table `taken` has the taken ones, where that is not the table itself.
 * Nobody queues for them: PostgreSQL has the sequence "<table>_id_seq", SQLite's only writer
 * "<table>_numbering". A number that is drawn may be lost, and until it is stored a client can still take it.
 *
 * The ids that clients took are passed over by looks that double, then by leaps that double, so a million of them cost
 * some twenty looks. A leap is of random length: where it will land, nobody can take the numbers beforehand, so nobody
 * drives the numbering towards its end at 2^53−1.
 */
export async function nextIds(
  manager: EntityManager,
  table: string,
  count: number,
  avoid: ReadonlySet<unknown> = new Set(),
  taken = table,
): Promise<number[]> {
  const draw = isPostgres(manager) ? drawFromSequence : drawFromCounter;
  const most = Math.max(count, MOST_AT_ONCE);
  const free: number[] = [];
  for (let look = 0, leap = 0; free.length < count; look++) {
    const size = Math.min(most, (count - free.length) * 2 ** Math.max(0, look - 1));
    const found = await draw(manager, { table, taken }, size, leap && randomInt(leap, 2 * leap));
    free.push(...found.filter((number) => !avoid.has(number)));
    leap = size === most && found.length < size / 2 ? Math.max(most, 2 * leap) : 0;
  }
  return free.slice(0, count);
}

/** Those of the next `size` numbers that are not taken, after `passed` ones that are left out. */
type Draw = (
  manager: EntityManager,
  of: { table: string; taken: string },
  size: number,
  passed: number,
) => Promise<number[]>;

const drawFromSequence: Draw = async (manager, { table, taken }, size, passed) => {
  const sequence = `"${table}_id_seq"`;
  if (passed > 0) {
    await manager.query(`SELECT setval('${sequence}', "last_value" + $1) FROM ${sequence}`, [passed]);
  }
  const rows = await manager.query<{ id: number }[]>(
    `WITH "drawn" AS MATERIALIZED (SELECT nextval('${sequence}') AS "id" FROM generate_series(1, $1))
     SELECT "id" FROM "drawn" WHERE "id" NOT IN (SELECT "id" FROM "${taken}" WHERE "id" BETWEEN
       (SELECT min("id") FROM "drawn") AND (SELECT max("id") FROM "drawn"))`,
    [size],
  );
  return rows.map(({ id }) => id);
};

const drawFromCounter: Draw = async (manager, { table, taken }, size, passed) => {
  const [row] = await manager.query<[{ last: number }]>(
    `UPDATE "${table}_numbering" SET "last" = "last" + ? RETURNING "last"`,
    [size + passed],
  );
  const first = row.last - size + 1;
  const rows = await manager.query<{ id: number }[]>(`SELECT "id" FROM "${taken}" WHERE "id" BETWEEN ? AND ?`, [
    first,
    row.last,
  ]);
  const found = new Set(rows.map(({ id }) => id));
  return Array.from({ length: size }, (_, index) => first + index).filter((id) => !found.has(id));
};

/**
 * Stores a thing under the next number, and answers that: outside a unit without a transaction of its own, as long as
 * no client has taken that number. `taken` as `nextIds` has it.
 */
export async function insertNumbered<T extends { id: Int64 }>(
  database: UnitOfWork,
  entity: new () => T,
  members: Omit<T, 'id'>,
  taken: string,
): Promise<number> {
  const { driver } = database.dataSource;
  const { tableName: table, columns } = database.dataSource.getMetadata(entity);
  if (!database.scope) {
    const others = columns.filter(({ propertyName }) => propertyName !== 'id');
    const values = others.map(
      (column) => driver.preparePersistentValue(column.getEntityValue(members), column) as unknown,
    );
    const id = await database.insertNumbered({ table, taken, columns: others.map(nameOf), values });
    if (id !== undefined) {
      return id;
    }
  }
  return database.write(async (unit) => {
    const [id] = (await nextIds(unit, table, 1, new Set(), taken)) as [number];
    await unit.insert(entity, { ...members, id } as QueryDeepPartialEntity<T>);
    return id;
  });
}

const nameOf = ({ databaseName }: { databaseName: string }) => databaseName;

/** How often something is stored anew whose number a client took at the same moment. */
const MAX_ATTEMPTS = 5;

/**
 * Runs `store`, which draws numbers, and again where it met one of these unique indexes: a client took a number between
 * the draw and the INSERT. `check` may throw first, where it was the client's own fault. Throws Unavailable in the end.
 */
export async function storeAgain<T>(
  indexes: string[],
  store: () => Promise<T>,
  check: () => Promise<void> = () => Promise.resolve(),
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await store();
    } catch (error) {
      if (!indexes.some((index) => isUniqueViolation(error, index))) {
        throw error;
      }
      await check();
      if (attempt === MAX_ATTEMPTS) {
        throw new Unavailable(error);
      }
    }
  }
}
