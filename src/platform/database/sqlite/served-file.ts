import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Logger } from '@nestjs/common';
import { Unavailable } from '../../common/problem';
import { FileLock } from './file-lock';
import { checkFile } from './check-file';
import { keepPrivate, makePrivateFolder } from './private-files';

/** The file that a server has for itself. */
export class ServedFile {
  private constructor(
    private readonly file: string,
    private readonly lock: FileLock,
    private readonly inode: bigint,
  ) {}

  /**
   * Looks at the file first, then makes what is missing, and takes from others what they could read.
   * Throws DatabaseUnusable.
   */
  static take(file: string): ServedFile {
    checkFile(file);
    makePrivateFolder(dirname(file));
    const lock = FileLock.take(file);
    try {
      // SQLite makes -wal and -shm with the permissions that the file has.
      const isNew = !exists(file);
      const files = [file, ...['-wal', '-shm'].map((end) => file + end).filter(exists)];
      files.map(keepPrivate).forEach((warning) => warning && new Logger('SQLite').warn(warning));
      if (isNew) {
        new Logger('SQLite').log(`Made a new database: ${file}`);
      }
      return new ServedFile(file, lock, inodeOf(file)!);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** Throws Unavailable when the name no longer leads to the file: what were stored in it would be lost. */
  assertInPlace(): void {
    if (inodeOf(this.file) !== this.inode) {
      throw new Unavailable(
        new Error(`${this.file} was removed or replaced while it was served. Restart the service.`),
      );
    }
  }

  release(): void {
    this.lock.release();
  }
}

const exists = (file: string) => inodeOf(file) !== undefined;
const inodeOf = (file: string) => statSync(file, { bigint: true, throwIfNoEntry: false })?.ino;
