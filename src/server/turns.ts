import type { Request } from 'express';
import { Rounds } from '../common/rounds';
import { networkOf } from '../http';

/** In milliseconds. For so long requests are begun before the event loop turns. */
const TURN_MS = 2;

/**
 * Begins requests a few at a time. In between the event loop turns once, and all that is under way goes on by a step:
 * an answer of the database, say, which another request waits for. Of what has come meanwhile each network has its next
 * request begun in turn, so whoever sends many waits for itself.
 */
export class Turns {
  private readonly waiting = new Rounds<() => void>();
  private count = 0;
  /** Of the turn that is under way, as performance.now() counts. */
  private end: number | undefined;

  take(req: Request, begin: () => void): void {
    if (this.count === 0 && this.hasTime()) {
      begin();
    } else {
      this.count += 1;
      this.waiting.push(networkOf(req), begin);
    }
  }

  private hasTime(): boolean {
    const now = performance.now();
    if (this.end === undefined) {
      this.end = now + TURN_MS;
      setImmediate(this.turn);
    }
    return now < this.end;
  }

  private readonly turn = (): void => {
    this.end = undefined;
    this.beginNext();
  };

  private readonly beginNext = (): void => {
    if (this.count > 0 && this.hasTime()) {
      this.count -= 1;
      this.waiting.shift()!();
      // The next one when this one has come to where it waits; else its work would not count.
      queueMicrotask(() => process.nextTick(this.beginNext));
    }
  };
}
