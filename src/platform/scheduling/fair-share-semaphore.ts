import { FairShareLimiter } from './fair-share-limiter';
import { RoundRobinQueue } from './round-robin-queue';
import { Semaphore } from './semaphore';

/** As FairShareLimiter, but whoever may not have more waits for it; keys that wait take turns. */
export class FairShareSemaphore {
  private readonly limiter: FairShareLimiter;
  private readonly semaphore: Semaphore;

  constructor(places: number) {
    this.limiter = new FairShareLimiter(places);
    this.semaphore = new Semaphore(() => places, new FairShareQueue(this.limiter));
  }

  /** Waits for a place; `release` gives it back. Throws the signal's reason where that aborts first. */
  acquire(key: string, signal: AbortSignal): Promise<void> {
    return this.semaphore.acquire(key, signal);
  }

  release(key: string): void {
    this.limiter.release(key);
    this.semaphore.release();
  }
}

/** Passes over keys that may not have more. */
class FairShareQueue extends RoundRobinQueue<() => void> {
  constructor(private readonly limiter: FairShareLimiter) {
    super();
  }

  override shift(): (() => void) | undefined {
    return super.shift((key) => this.limiter.take(key));
  }
}
