/** The time, in milliseconds since 1970. Injected, so that a test can set it. */
export abstract class Clock {
  abstract now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
