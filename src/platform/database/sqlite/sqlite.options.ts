import type { DataSourceOptions } from 'typeorm';
import type { SqliteConfig } from '../../config';
import { readExactly } from '../int64';
import { schema, type Entities } from '../schema';
import { Sqlite, type SqliteConnection } from './driver';
import { keepPrivate } from './private-files';

/** Milliseconds to wait for a lock while opening and reading; the whole process stands still meanwhile. */
const LOCK_TIMEOUT = 50;

/** How the one writing connection is opened. */
export function writerOptions({ file, synchronous }: SqliteConfig, entities: Entities): DataSourceOptions {
  return {
    ...schema(entities),
    type: 'better-sqlite3',
    driver: Sqlite,
    database: file,
    timeout: LOCK_TIMEOUT,
    enableWAL: true,
    prepareDatabase: (connection: SqliteConnection) => {
      // Where TypeORM's own commands have just made the file.
      keepPrivate(file);
      connection.pragma(`synchronous = ${synchronous}`);
      // What is deleted or changed is overwritten, not only let go of.
      connection.pragma('secure_delete = ON');
      readExactly(connection);
    },
  };
}

/** Readers have a connection of their own, so they never see what is not committed (WAL). */
export function readerOptions(config: SqliteConfig, entities: Entities): DataSourceOptions {
  return {
    ...writerOptions(config, entities),
    readonly: true,
    enableWAL: false,
    prepareDatabase: readExactly,
  } as DataSourceOptions;
}
