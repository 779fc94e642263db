import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const quietly = { stdio: 'ignore' } as const;

/** A file system of the test's own, in memory, of this many bytes. Mounting takes root. */
export class SmallDisk {
  readonly path = mkdtempSync(join(tmpdir(), 'pet-user-service-disk-'));

  static isPossible(): boolean {
    try {
      new SmallDisk(65_536).unmount();
      return true;
    } catch {
      return false;
    }
  }

  constructor(bytes: number) {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', this.path], quietly);
  }

  /** Leaves not a byte free. */
  fill(): void {
    for (let block = 65_536; block >= 1; block /= 16) {
      try {
        for (;;) {
          writeFileSync(join(this.path, 'filler'), Buffer.alloc(block), { flag: 'a' });
        }
      } catch {
        // No block of this size fits any more.
      }
    }
  }

  free(): void {
    rmSync(join(this.path, 'filler'));
  }

  /** Only while no file is open for writing. */
  remount(mode: 'ro' | 'rw'): void {
    execFileSync('mount', ['-o', `remount,${mode}`, this.path], quietly);
  }

  /** Lazily: a connection that could not be opened for want of space is closed by the garbage collector only. */
  unmount(): void {
    execFileSync('umount', ['-l', this.path], quietly);
    rmdirSync(this.path);
  }
}
