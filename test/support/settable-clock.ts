import type { Clock } from '../../src/common/clock';

/** A clock that stands still until a test moves it. */
export class SettableClock implements Clock {
  private time = Date.now();

  now(): number {
    return this.time;
  }

  pass({ ms = 0, seconds = 0, minutes = 0, hours = 0 }): void {
    this.time += ms + 1_000 * (seconds + 60 * (minutes + 60 * hours));
  }
}
