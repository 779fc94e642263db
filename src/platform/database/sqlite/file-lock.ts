import { existsSync, realpathSync } from 'node:fs';
import { DatabaseInUse } from '../database-unusable';
import { Sqlite, type SqliteConnection } from './driver';
import { keepPrivate } from './private-files';

/**
 * Keeps a second server off a SQLite file: its writes would not take turns with ours. The lock is an open transaction
 * on an empty database beside the file, so the system lets go of it however the process ends. Only a process that
 * may write can take it; a reader, even of the lock's file, neither waits for it nor is in its way.
 */
export class FileLock {
  private constructor(private readonly connection: SqliteConnection) {}

  /** The folder is there. Throws DatabaseInUse when another process has the file. */
  static take(file: string): FileLock {
    const beside = `${existsSync(file) ? realpathSync(file) : file}-lock`;
    keepPrivate(beside);
    const connection = new Sqlite(beside, { timeout: 0 });
    try {
      // Nothing is written in it, so it needs no journal beside it.
      connection.pragma('journal_mode = MEMORY');
      connection.exec('BEGIN IMMEDIATE');
      return new FileLock(connection);
    } catch (error) {
      connection.close();
      throw (error as { code?: string }).code === 'SQLITE_BUSY'
        ? new DatabaseInUse(`Another process serves ${file}. Stop it first, or let them share PostgreSQL.`)
        : error;
    }
  }

  release(): void {
    this.connection.close();
  }
}
