import { existsSync, renameSync } from 'node:fs';
import { Sqlite } from './driver';

/** All pages in one step: SQLite would begin again after each step during which somebody writes. */
const ALL_PAGES = 0x7fff_ffff;

/**
 * Copies a SQLite file to `target` while a server writes on (SQLite's online backup): what was committed when
 * the copying began, and nothing else. Throws when the target exists, or the copy is not sound.
 */
export async function backUpSqlite(file: string, target: string): Promise<void> {
  if (existsSync(target)) {
    throw new Error(`${target} exists already`);
  }
  const part = `${target}.part`;
  const source = new Sqlite(file, { readonly: true, fileMustExist: true });
  try {
    await source.backup(part, { progress: () => ALL_PAGES });
  } finally {
    source.close();
  }
  const copy = new Sqlite(part);
  try {
    // Without this, a reader of the copy would need to write beside it.
    copy.pragma('journal_mode = DELETE');
    const verdict = copy.pragma('integrity_check', { simple: true });
    if (verdict !== 'ok') {
      throw new Error(`the copy is damaged, and so may be the original: ${String(verdict)}`);
    }
  } finally {
    copy.close();
  }
  renameSync(part, target);
}
