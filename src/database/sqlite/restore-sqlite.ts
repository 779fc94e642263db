import { existsSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Sqlite } from './driver';
import { FileLock } from './file-lock';
import { assertOurs } from './look';
import { makePrivateFolder, sync } from './private-files';
import { withSoundCopy } from './sound-copy';

/**
 * Puts a copy of `backup` in the place of a SQLite file. Throws when the backup is not sound or not of this service,
 * and DatabaseUnusable when a server runs; the file is then as it was.
 */
export async function restoreSqlite(file: string, backup: string): Promise<void> {
  const stat = statSync(backup, { throwIfNoEntry: false });
  if (!stat?.isFile()) {
    throw new Error(stat ? `${backup} is a folder` : `there is no ${backup}`);
  }
  assertOurs(backup);
  makePrivateFolder(dirname(file));
  const lock = FileLock.take(file);
  try {
    const place = existsSync(file) ? realpathSync(file) : file;
    if (place === realpathSync(backup)) {
      throw new Error(`${backup} is the database itself`);
    }
    await withSoundCopy(backup, place, (copy) => {
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
