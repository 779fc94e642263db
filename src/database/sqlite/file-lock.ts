import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseUnusable } from '../database-unusable';
import { Sqlite, type SqliteConnection } from './driver';

/**
 * Keeps a second server off a SQLite file: its writes would not take turns with ours. The lock is an open transaction
 * on an empty database beside the file, so the system lets go of it however the process ends. Readers are not affected.
 */
export class FileLock {
  private constructor(private readonly connection: SqliteConnection) {}

  /** Makes the folder where there is none. Throws DatabaseUnusable when another process has the file. */
  static take(file: string): FileLock {
    mkdirSync(dirname(file), { recursive: true });
    const connection = new Sqlite(`${existsSync(file) ? realpathSync(file) : file}-lock`, { timeout: 0 });
    try {
      connection.exec('BEGIN EXCLUSIVE');
      return new FileLock(connection);
    } catch (error) {
      connection.close();
      throw (error as { code?: string }).code === 'SQLITE_BUSY'
        ? new DatabaseUnusable(`Another process serves ${file}. Stop it first, or let them share PostgreSQL.`)
        : error;
    }
  }

  release(): void {
    this.connection.close();
  }
}
