import { DataSource } from 'typeorm';
import type { Config } from '../config';
import type { Entities } from './schema';
import { sqliteDataSource } from './sqlite/sqlite-data-source';
import { writerOptions } from './sqlite/sqlite.options';

/** For work on the schema: one connection, which may hold and wait as long as it needs. The caller initializes it. */
export function maintenanceDataSource(database: Config['database'], entities: Entities): DataSource {
  if (database.type === 'sqlite') {
    return sqliteDataSource(writerOptions(database, entities));
  }
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- with pg, which nobody on SQLite needs
  const { postgresOptions } = require('./postgres/postgres.options') as typeof import('./postgres/postgres.options');
  const timeoutsMs = { ...database.timeoutsMs, statement: 0, lock: 0, idleInTransaction: 0 };
  return new DataSource(postgresOptions({ ...database, poolSize: 1, timeoutsMs }, entities));
}
