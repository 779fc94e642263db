import { existsSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DataSource } from 'typeorm';
import type { SqliteConfig } from '../../config';
import type { Entities } from '../schema';
import { assertSchema } from './assert-schema';
import { Sqlite } from './driver';
import { FileLock } from './file-lock';
import { assertOurs } from './check-file';
import { makePrivateFolder, sync } from './private-files';
import { removeLeftCopies, withSoundCopy } from './sound-copy';
import { sqliteDataSource } from './sqlite-data-source';
import { readerOptions } from './sqlite.options';

/**
 * Puts a copy of `backup` in the place of a SQLite file. Throws when the backup is not sound, not of this service, or
 * `inspect` throws, and DatabaseUnusable when a server runs; the file is then as it was.
 */
export async function restoreSqlite(
  config: SqliteConfig,
  backup: string,
  entities: Entities,
  inspect: (copy: DataSource) => Promise<void>,
): Promise<void> {
  const { file } = config;
  const stat = statSync(backup, { throwIfNoEntry: false });
  if (!stat?.isFile()) {
    throw new Error(stat ? `${backup} is ${stat.isDirectory() ? 'a folder' : 'no file'}` : `there is no ${backup}`);
  }
  assertOurs(backup);
  makePrivateFolder(dirname(file));
  const lock = FileLock.take(file);
  try {
    const place = existsSync(file) ? realpathSync(file) : file;
    if (place === realpathSync(backup)) {
      throw new Error(`${backup} is the database itself`);
    }
    removeLeftCopies(place);
    await withSoundCopy(backup, place, async (copy) => {
      await assertSchema(copy, backup);
      await reading({ ...config, file: copy }, entities, inspect);
      emptyLog(place);
      // Left behind, it would be played into the restored file.
      ['-wal', '-shm', '-journal'].forEach((end) => rmSync(place + end, { force: true }));
      sync(dirname(place));
      renameSync(copy, place);
      sync(dirname(place));
    });
  } finally {
    lock.release();
  }
}

async function reading(
  config: SqliteConfig,
  entities: Entities,
  inspect: (copy: DataSource) => Promise<void>,
): Promise<void> {
  const copy = await sqliteDataSource(readerOptions(config, entities)).initialize();
  await inspect(copy).finally(() => copy.destroy());
}

/** Writes the old file's log back into it, so that it stays whole if the machine fails now. */
function emptyLog(file: string): void {
  try {
    const old = new Sqlite(file, { fileMustExist: true });
    try {
      old.pragma('wal_checkpoint(TRUNCATE)');
    } finally {
      old.close();
    }
  } catch {
    // There is none, or it is damaged, which may well be why another is restored.
  }
}
