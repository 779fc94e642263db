import type { Clock } from '../platform/common/clock';

/** A clock that stands still until a test moves it; it begins at the time of now. */
export class SettableClock implements Clock {
  private time = Date.now();

  /** In milliseconds since 1970. */
  now(): number {
    return this.time;
  }

  /** Negative values set it back. */
  pass({ ms = 0, seconds = 0, minutes = 0, hours = 0, days = 0, ...unknown }): void {
    const passed = ms + 1_000 * (seconds + 60 * (minutes + 60 * (hours + 24 * days)));
    if (Object.keys(unknown).length > 0 || !Number.isFinite(passed)) {
      throw new TypeError('A clock passes numbers of ms, seconds, minutes, hours and days.');
    }
    this.time += passed;
  }
}
