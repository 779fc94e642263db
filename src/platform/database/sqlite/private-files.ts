import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseUnusable } from '../database-unusable';

/** Files of the database are for the service alone, and SQLite makes others beside them alike: they hold hashes. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** Makes the folder, but nothing above it: where more is missing, the path is mistyped. Throws DatabaseUnusable. */
export function makePrivateFolder(folder: string): void {
  if (existsSync(folder)) {
    return;
  }
  try {
    mkdirSync(folder, { mode: FOLDER_MODE });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const reason = existsSync(dirname(folder)) ? code : `there is no folder ${dirname(folder)}`;
    throw new DatabaseUnusable(`The folder ${folder} cannot be made: ${reason}.`, { cause });
  }
}

/** Makes an empty file, and fails when anything has this name already, be it a symbolic link. */
export function makePrivateFile(file: string): void {
  closeSync(openSync(file, 'wx', FILE_MODE));
}

/**
 * Makes the file where there is none, and takes it away from others where they can read or write it. Answers what the
 * operator should know of that. It is not opened: closing it would drop the locks that this process has on it (POSIX).
 */
export function keepPrivate(file: string): string | null {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat) {
    makePrivateFile(file);
    return null;
  }
  if ((stat.mode & 0o077) === 0) {
    return null;
  }
  try {
    chmodSync(file, FILE_MODE);
    return `Others could read ${file}; now only this user can.`;
  } catch {
    return `Others can read ${file}, and it belongs to another user, who alone can change that.`;
  }
}

/** Sees to it that a file, or the names in a folder, are on the disk. */
export function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
