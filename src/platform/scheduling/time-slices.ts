import { RoundRobinQueue } from './round-robin-queue';

const SLICE_MS = 2;

/**
 * Begins pieces of work for a slice of time; then the event loop turns once, and all that is under way goes on by a
 * step: an answer of the database, say, which another piece waits for. Of what has come meanwhile each key has its next
 * piece begun, so whoever brings much waits for itself.
 */
export class TimeSlices {
  private readonly waiting = new RoundRobinQueue<() => void>();
  /** Of the slice that is under way, as performance.now() counts. */
  private end: number | undefined;

  begin(key: string, work: () => void): void {
    if (this.waiting.isEmpty && this.hasTime()) {
      work();
    } else {
      this.waiting.push(key, work);
    }
  }

  private hasTime(): boolean {
    const now = performance.now();
    if (this.end === undefined) {
      this.end = now + SLICE_MS;
      setImmediate(this.nextSlice);
    }
    return now < this.end;
  }

  private readonly nextSlice = (): void => {
    this.end = undefined;
    this.beginNext();
  };

  private readonly beginNext = (): void => {
    if (!this.waiting.isEmpty && this.hasTime()) {
      this.waiting.shift()!();
      // The next one when this one has come to where it waits; else its work would not count.
      queueMicrotask(() => process.nextTick(this.beginNext));
    }
  };
}
