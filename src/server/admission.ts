import { Logger } from '@nestjs/common';

/** Lateness that passes within this time is a burst, not an overload. */
const BURST_MS = 500;
const REPORT_EVERY_MS = 1_000;

/**
 * Decides which requests are taken on. A turn of the event loop handles, one after the other, all requests that have
 * arrived: the last one waits for all others. Once turns have been longer than `limitMs` for half a second,
 * each turn takes on `limitMs` of work and the rest is refused, so that what is taken on is answered in time (cf. CoDel,
 * RFC 8289, which tells a standing queue from a burst in this way).
 */
export class Admission {
  /** Requests refused since the start. */
  refused = 0;
  private readonly logger = new Logger(Admission.name);
  private turnBegan?: number;
  private turnIsLate = false;
  private lateSince?: number;
  private unreported = 0;

  constructor(private readonly limitMs: number) {}

  /** Whether to take on a request that has arrived in this turn of the event loop. */
  admits(now = performance.now()): boolean {
    if (this.turnBegan === undefined) {
      this.turnBegan = now;
      this.turnIsLate = false;
      setImmediate(() => this.endTurn());
    }
    if (now - this.turnBegan <= this.limitMs) {
      return true;
    }
    this.turnIsLate = true;
    this.lateSince ??= now;
    if (now - this.lateSince < BURST_MS) {
      return true;
    }
    this.countRefusal();
    return false;
  }

  private endTurn(): void {
    this.turnBegan = undefined;
    if (!this.turnIsLate) {
      this.lateSince = undefined;
    }
  }

  /** A log line for each refusal would cost more than the refusal itself. */
  private countRefusal(): void {
    this.refused += 1;
    this.unreported += 1;
    if (this.unreported === 1) {
      setTimeout(() => {
        this.logger.warn(`Overloaded: ${this.unreported} requests refused`);
        this.unreported = 0;
      }, REPORT_EVERY_MS).unref();
    }
  }
}
