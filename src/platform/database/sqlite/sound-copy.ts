import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Sqlite } from './driver';
import { makePrivateFile, sync } from './private-files';

/**
 * Copies what is committed in a SQLite file, also while a server writes on, into a new file beside `target`, of a name
 * that nobody can know beforehand. It holds nothing that was deleted, is checked and synced, and needs no other file.
 * Hands its name to `use`, and removes it afterwards if it is still there.
 */
export async function withSoundCopy(
  source: string,
  target: string,
  use: (copy: string) => void | Promise<void>,
): Promise<void> {
  const copy = `${target}.${randomBytes(8).toString('hex')}.part`;
  const original = new Sqlite(source, { readonly: true, fileMustExist: true });
  try {
    makePrivateFile(copy);
    original.prepare('VACUUM INTO ?').run(copy);
    check(copy);
    sync(copy);
    await use(copy);
  } finally {
    original.close();
    rmSync(copy, { force: true });
  }
}

/** Removes the copies that were being made for `target` when their process was killed. No other may be under way. */
export function removeLeftCopies(target: string): void {
  const isCopy = (name: string) =>
    name.startsWith(`${basename(target)}.`) && /^[\da-f]{16}\.part$/.test(name.slice(basename(target).length + 1));
  const folder = dirname(target);
  readdirSync(folder)
    .filter(isCopy)
    .forEach((name) => rmSync(join(folder, name)));
}

function check(copy: string): void {
  const connection = new Sqlite(copy, { readonly: true });
  try {
    const verdict = connection.pragma('integrity_check', { simple: true });
    if (verdict !== 'ok') {
      throw new Error(`the copy is damaged, and so may be the original: ${String(verdict)}`);
    }
  } finally {
    connection.close();
  }
}
