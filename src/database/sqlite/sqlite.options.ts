import type { DataSourceOptions } from 'typeorm';
import type { SqliteConfig } from '../../config';
import { schema } from '../schema';
import { sqliteDriver } from './driver';

interface Connection {
  pragma(text: string): unknown;
}

/** How the one writing connection is opened. */
export function writerOptions({ file, synchronous }: SqliteConfig): DataSourceOptions {
  return {
    ...schema('integer'),
    type: 'better-sqlite3',
    driver: sqliteDriver(),
    database: file,
    enableWAL: true,
    prepareDatabase: (connection: Connection) => {
      connection.pragma(`synchronous = ${synchronous}`);
    },
  };
}

/** Readers have a connection of their own, so they never see what is not committed (WAL). */
export function readerOptions(config: SqliteConfig): DataSourceOptions {
  return { ...writerOptions(config), readonly: true, enableWAL: false, prepareDatabase: () => {} } as DataSourceOptions;
}
