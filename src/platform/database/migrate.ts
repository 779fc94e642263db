import { MigrationExecutor, type DataSource, type EntityManager, type QueryRunner } from 'typeorm';
import { DatabaseUnusable } from './database-unusable';

/** The names of the migrations that a database has seen. */
export async function migrationsOf(database: Pick<EntityManager, 'query'>): Promise<Set<string>> {
  const rows = await database.query<{ name: string }[]>('SELECT "name" FROM "migrations"');
  return new Set(rows.map(({ name }) => name));
}

/** Runs the migrations that the database has not seen. Throws DatabaseUnusable when it has seen some of the future. */
export async function migrate(dataSource: DataSource, runner?: QueryRunner): Promise<void> {
  const executor = new MigrationExecutor(dataSource, runner);
  const known = new Set(dataSource.migrations.map(({ name }) => name));
  const unknown = (await executor.getExecutedMigrations()).filter(({ name }) => !known.has(name));
  if (unknown.length > 0) {
    const names = unknown.map(({ name }) => name).join(', ');
    throw new DatabaseUnusable(`The database is of a newer version of this program, which added ${names}.`);
  }
  await executor.executePendingMigrations();
}
