import type { DataSourceOptions } from 'typeorm';
import type { SqliteConfig } from '../../config';
import { schema } from '../schema';
import { Sqlite, type SqliteConnection } from './driver';

/** Milliseconds to wait for a lock; the whole process stands still meanwhile. Nobody else should hold one. */
const LOCK_TIMEOUT = 50;

/** How the one writing connection is opened. */
export function writerOptions({ file, synchronous }: SqliteConfig): DataSourceOptions {
  return {
    ...schema('integer'),
    type: 'better-sqlite3',
    driver: Sqlite,
    database: file,
    timeout: LOCK_TIMEOUT,
    enableWAL: true,
    prepareDatabase: (connection: SqliteConnection) => {
      connection.pragma(`synchronous = ${synchronous}`);
    },
  };
}

/** Readers have a connection of their own, so they never see what is not committed (WAL). */
export function readerOptions(config: SqliteConfig): DataSourceOptions {
  return { ...writerOptions(config), readonly: true, enableWAL: false, prepareDatabase: () => {} } as DataSourceOptions;
}
