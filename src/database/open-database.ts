import type { Config } from '../config';
import { DatabaseUnusable } from './database-unusable';
import { PostgresUnitOfWork } from './postgres/postgres-unit-of-work';
import { SqliteUnitOfWork } from './sqlite/sqlite-unit-of-work';
import type { Entities } from './schema';
import type { UnitOfWork } from './unit-of-work';

/**
 * Opens the database that the settings name, and brings its schema up to date.
 * Fails at once, with DatabaseUnusable: a start that waits for a database hides what is wrong with it.
 */
export async function openDatabase({ database }: Pick<Config, 'database'>, entities: Entities): Promise<UnitOfWork> {
  try {
    return await (database.type === 'sqlite'
      ? SqliteUnitOfWork.open(database, entities)
      : PostgresUnitOfWork.open(database, entities));
  } catch (cause) {
    throw cause instanceof DatabaseUnusable ? cause : DatabaseUnusable.because(cause);
  }
}
