import { RoundRobinQueue } from './round-robin-queue';

const SLICE_MS = 2;

/**
 * Begins pieces of work for a slice of time, then lets the event loop run once: what is under way goes on by a step, as
 * when an answer of the database has come. What arrives meanwhile waits. Keys take turns, so whoever brings much waits
 * for itself.
 */
export class TimeSlices {
  private readonly waiting = new RoundRobinQueue<() => void>();
  /** When the present slice ends, as performance.now() counts; undefined between slices. */
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
      // Begin the next piece when this one waits for something: otherwise its work would not count in the slice.
      queueMicrotask(() => process.nextTick(this.beginNext));
    }
  };
}
