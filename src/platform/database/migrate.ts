import { MigrationExecutor, type DataSource, type EntityManager, type QueryRunner } from 'typeorm';
import { DatabaseUnusable } from './database-unusable';
import { migrations } from './schema';

/** Whether a database has seen all migrations of this program. Throws where it was never migrated. */
export const isMigrated = async (database: Pick<EntityManager, 'query'>): Promise<boolean> =>
  hasAll(await seenBy(database));

/** Whether it has seen all of them, and no others. */
export async function isCurrent(database: DataSource): Promise<boolean> {
  const seen = await seenBy(database).catch(() => []);
  return hasAll(seen) && unknownIn(seen).length === 0;
}

/** Throws DatabaseUnusable where a database has seen migrations that this program does not know. */
export function refuseNewer(database: string, seen: string[]): void {
  const unknown = unknownIn(seen).join(', ');
  if (unknown) {
    throw new DatabaseUnusable(`${database} is of a newer version of this program, which added ${unknown}.`);
  }
}

/** Runs the migrations that the database has not seen. Throws as refuseNewer. */
export async function migrate(dataSource: DataSource, runner?: QueryRunner): Promise<void> {
  const executor = new MigrationExecutor(dataSource, runner);
  const seen = await executor.getExecutedMigrations();
  refuseNewer('The database', namesOf(seen));
  await executor.executePendingMigrations();
}

const seenBy = async (database: Pick<EntityManager, 'query'>): Promise<string[]> =>
  namesOf(await database.query<{ name: string }[]>('SELECT "name" FROM "migrations"'));

const namesOf = (all: readonly { name: string }[]) => all.map(({ name }) => name);
const names = namesOf(migrations);
const hasAll = (seen: string[]) => names.every((name) => seen.includes(name));
const unknownIn = (seen: string[]) => seen.filter((name) => !names.includes(name));
