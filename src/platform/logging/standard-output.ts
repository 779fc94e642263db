import { fstatSync, writeSync } from 'node:fs';
import { Logger } from '@nestjs/common';

const FD = 1;
/** Characters that wait at most; some two thousand lines. */
const MOST_WAITING = 524_288;
const RETRY_MS = 50;
const LAST_TRY_MS = 300;

/**
 * Standard output for the log. Nothing ever waits for it: lines that it does not accept (a pipe that nobody reads, a
 * full disk) are kept up to a bound and tried again; lines beyond the bound are dropped and counted. All lines of one
 * iteration of the event loop are one write.
 */
class StandardOutput {
  /** Lines lost since the start. */
  dropped = 0;
  private untold = 0;
  private lines: string[] = [];
  private queued = 0;
  private unwritten: Buffer = Buffer.alloc(0);
  private writing = false;
  private opened = false;

  write(line: string): void {
    if (this.queued + this.unwritten.length + line.length > MOST_WAITING) {
      this.dropped += 1;
      this.untold += 1;
      return;
    }
    this.lines.push(line);
    this.queued += line.length;
    if (!this.writing) {
      this.writing = true;
      setImmediate(() => this.flush());
    }
  }

  private flush(): void {
    this.open();
    if (!this.writeAll()) {
      setTimeout(() => this.flush(), RETRY_MS).unref();
      return;
    }
    this.writing = false;
    if (this.untold > 0) {
      const lost = this.untold;
      this.untold = 0;
      new Logger('Log').warn(`Standard output was blocked. Lost lines: ${lost}`);
    }
  }

  private open(): void {
    if (this.opened) {
      return;
    }
    this.opened = true;
    const output = fstatSync(FD);
    if (output.isFIFO() || output.isSocket()) {
      // Node makes its stream at the first use, and from then on a full pipe answers EAGAIN instead of waiting.
      process.stdout.on('error', () => undefined);
    }
    process.once('exit', () => this.lastTry());
  }

  /** Whether nothing is left. */
  private writeAll(): boolean {
    try {
      while (this.queued + this.unwritten.length > 0) {
        if (this.unwritten.length === 0) {
          this.unwritten = Buffer.from(this.lines.join(''));
          this.lines = [];
          this.queued = 0;
        }
        this.unwritten = this.unwritten.subarray(writeSync(FD, this.unwritten));
      }
      return true;
    } catch {
      return false;
    }
  }

  /** A reader that is only slow gets the last lines too. */
  private lastTry(): void {
    const end = performance.now() + LAST_TRY_MS;
    while (!this.writeAll() && performance.now() < end) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

export const standardOutput = new StandardOutput();
