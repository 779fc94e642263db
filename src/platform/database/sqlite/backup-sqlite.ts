import { existsSync, lstatSync, renameSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { makePrivateFile, sync } from './private-files';
import { withSoundCopy } from './sound-copy';

/**
 * Copies a SQLite file to `target` while a server writes on: what was committed when the copying began, and nothing
 * else. Overwrites nothing, and follows no symbolic link. Throws when the name is taken, or the copy is not sound.
 */
export async function backUpSqlite(file: string, target: string): Promise<void> {
  const folder = dirname(resolve(target));
  if (!existsSync(file)) {
    throw new Error(`there is no database ${file}`);
  }
  if (!existsSync(folder)) {
    throw new Error(`there is no folder ${folder}`);
  }
  if (lstatSync(target, { throwIfNoEntry: false })) {
    throw new Error(`${target} exists already`);
  }
  await withSoundCopy(file, target, (copy) => {
    takeName(target);
    renameSync(copy, target);
    sync(folder);
  });
}

/** Of several backups to one name, one gets here first. */
function takeName(target: string): void {
  try {
    makePrivateFile(target);
  } catch (cause) {
    throw (cause as NodeJS.ErrnoException).code === 'EEXIST' ? new Error(`${target} exists already`) : cause;
  }
}
