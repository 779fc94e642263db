const LEAST_MS = 5;
const MOST_MS = 50;

/**
 * Connections that the system has queued, which go before work that is yet to begin. Node accepts one of them each time
 * the event loop turns, in the order in which they came: where turns are long, a client that brings hundreds would keep
 * everybody else from being accepted. They go first until the loop has turned without one, for as long at most as work
 * was done before.
 */
export class Newcomers {
  private hasCome = false;
  private since: number | undefined;
  private endedAt = 0;
  private readonly waiting: (() => void)[] = [];

  get goFirst(): boolean {
    return this.since !== undefined;
  }

  /** A connection was accepted. */
  accepted(): void {
    this.hasCome = true;
    if (this.since === undefined) {
      this.since = performance.now();
      setImmediate(this.turned);
    }
  }

  /** When they go first no more. */
  passed(): Promise<void> | undefined {
    return this.goFirst ? new Promise((passed) => this.waiting.push(passed)) : undefined;
  }

  private readonly turned = (): void => {
    const now = performance.now();
    const worked = this.since! - this.endedAt;
    if (this.hasCome && now - this.since! < Math.min(Math.max(LEAST_MS, worked), MOST_MS)) {
      this.hasCome = false;
      setImmediate(this.turned);
      return;
    }
    this.since = undefined;
    this.endedAt = now;
    this.waiting.splice(0).forEach((passed) => passed());
  };
}

/** Those of this process. */
export const newcomers = new Newcomers();
