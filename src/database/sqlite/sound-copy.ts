import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { Sqlite } from './driver';
import { makePrivateFile, sync } from './private-files';

/** All pages in one step: SQLite would begin again after each step during which somebody writes. */
const ALL_PAGES = 0x7fff_ffff;

/**
 * Copies what is committed in a SQLite file, also while a server writes on (SQLite's online backup), into a new file
 * beside `target`, of a name that nobody can know beforehand. It is checked, synced, and needs no other file.
 * Hands its name to `use`, and removes it afterwards if it is still there.
 */
export async function withSoundCopy(source: string, target: string, use: (copy: string) => void): Promise<void> {
  const copy = `${target}.${randomBytes(8).toString('hex')}.part`;
  const original = new Sqlite(source, { readonly: true, fileMustExist: true });
  try {
    makePrivateFile(copy);
    await original.backup(copy, { progress: () => ALL_PAGES });
    check(copy);
    sync(copy);
    use(copy);
  } finally {
    original.close();
    [copy, `${copy}-journal`].forEach((file) => rmSync(file, { force: true }));
  }
}

function check(copy: string): void {
  const connection = new Sqlite(copy);
  try {
    // Without this, a reader of the copy would need to write beside it.
    connection.pragma('journal_mode = DELETE');
    const verdict = connection.pragma('integrity_check', { simple: true });
    if (verdict !== 'ok') {
      throw new Error(`the copy is damaged, and so may be the original: ${String(verdict)}`);
    }
  } finally {
    connection.close();
  }
}
