import type { DataSourceOptions } from 'typeorm';
import type { Config } from '../config';
import { postgresOptions } from './postgres/postgres.options';
import { writerOptions } from './sqlite/sqlite.options';

/** For work on the schema: one connection, which may take and wait as long as it needs. */
export function maintenanceOptions(database: Config['database']): DataSourceOptions {
  return database.type === 'sqlite'
    ? writerOptions(database)
    : postgresOptions({
        ...database,
        replicaUrls: [],
        poolSize: 1,
        timeoutsMs: { ...database.timeoutsMs, statement: 0, lock: 0, idleInTransaction: 0 },
      });
}
