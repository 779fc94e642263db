import { randomInt } from 'node:crypto';
import type { EntityManager, QueryDeepPartialEntity } from 'typeorm';
import type { Int64 } from '../common/json';
import { Unavailable } from '../common/problem';
import { isUniqueViolation } from './constraint-violation';
import { isPostgres } from './dialect';
import type { UnitOfWork } from './unit-of-work';

/** The largest draw. Where most of one is taken, the numbering leaps. */
const MOST_AT_ONCE = 1_024;

/**
 * Draws `count` ids for a table whose clients may assign ids themselves. Leaves out those that are taken and those to
 * `avoid`. `taken` names the table of the taken ids, where that is another one.
 * Nobody queues for them: PostgreSQL has the sequence "<table>_id_seq", SQLite's only writer the table
 * "<table>_numbering". A drawn number may be lost. Until it is stored, a client can still take it.
 *
 * Where ids are taken, each draw is twice as large as the one before. Past the largest, the numbering leaps, twice as
 * far each time: a million taken ids cost some twenty draws. The length of a leap is random. So nobody can take the
 * numbers where it will land, and drive the numbering towards its end at 2^53−1.
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
  for (let draws = 0, leap = 0; free.length < count; draws++) {
    const size = Math.min(most, (count - free.length) * 2 ** Math.max(0, draws - 1));
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
 * Stores a thing under the next number, and answers the number. Outside a unit that takes a single statement, unless a
 * client has taken the number. `taken` as `nextIds` has it.
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

/** How often storing is tried, while clients take the numbers that were drawn for it. */
const MAX_ATTEMPTS = 5;

/**
 * Runs `store`, which draws numbers, and runs it again when it violates one of these unique indexes: a client took a
 * number between the draw and the INSERT. `check` comes before, and throws where the client itself is at fault.
 * Throws Unavailable after the last attempt.
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
