import { getMetadataArgsStorage, type DataSourceOptions } from 'typeorm';
import type { Config } from '../config';
import { Initial1764000000000 } from './migrations/1764000000000-initial';
import { sqliteDriver } from './sqlite-driver';

interface Connection {
  pragma(text: string): unknown;
}

/**
 * How the one writing connection is opened; every imported entity is known to it.
 * `synchronize` is off for good: the schema comes from migrations.
 */
export function writerOptions(config: Pick<Config, 'databaseFile' | 'synchronous'>): DataSourceOptions {
  return {
    type: 'better-sqlite3',
    driver: sqliteDriver(),
    database: config.databaseFile,
    entities: getMetadataArgsStorage().tables.map(({ target }) => target),
    migrations: [Initial1764000000000],
    enableWAL: true,
    prepareDatabase: (connection: Connection) => {
      connection.pragma(`synchronous = ${config.synchronous}`);
    },
  };
}

/** Readers have a connection of their own, so they never see what is not committed (WAL). */
export function readerOptions(config: Pick<Config, 'databaseFile' | 'synchronous'>): DataSourceOptions {
  return { ...writerOptions(config), readonly: true, enableWAL: false, prepareDatabase: () => {} } as DataSourceOptions;
}
