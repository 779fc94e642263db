import type { Config } from '../config';
import { DatabaseUnusable } from './database-unusable';
import type { Entities } from './schema';
import { SqliteEngine } from './sqlite/sqlite-engine';
import { UnitOfWork } from './unit-of-work';

type OnPostgres = typeof import('./postgres/postgres-engine');

/** Far beyond what ten thousand rows take on a busy machine; all other writing units wait meanwhile. */
const SQLITE_UNIT_MS = 10_000;

/**
 * Opens the database that the settings name, and brings its schema up to date.
 * Fails at once, with DatabaseUnusable: a start that waits for a database hides what is wrong with it.
 */
export async function openDatabase({ database }: Pick<Config, 'database'>, entities: Entities): Promise<UnitOfWork> {
  try {
    if (database.type === 'sqlite') {
      return new UnitOfWork(await SqliteEngine.open(database, entities), SQLITE_UNIT_MS);
    }
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- with pg, which nobody on SQLite needs
    const { PostgresEngine } = require('./postgres/postgres-engine') as OnPostgres;
    const { statement, idleInTransaction } = database.timeoutsMs;
    return new UnitOfWork(await PostgresEngine.open(database, entities), statement + idleInTransaction);
  } catch (cause) {
    throw cause instanceof DatabaseUnusable ? cause : DatabaseUnusable.because(cause);
  }
}
