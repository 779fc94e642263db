import { FairShareLimiter } from './fair-share-limiter';

type Enter = () => void;

/** As FairShareLimiter, but who may not have more waits for it, in turns of the keys. */
export class FairShareSemaphore {
  private readonly limiter: FairShareLimiter;
  private readonly waiting = new Map<string, Enter[]>();

  constructor(places: number) {
    this.limiter = new FairShareLimiter(places);
  }

  /** Waits for a place; `release` gives it back. Throws the signal's reason where that aborts first. */
  async acquire(key: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.waiting.has(key) && this.limiter.take(key)) {
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.leave(key, enter);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', leave);
      this.waiting.set(key, [...(this.waiting.get(key) ?? []), enter]);
    });
  }

  release(key: string): void {
    this.limiter.release(key);
    for (const [next, [enter]] of this.waiting) {
      if (this.limiter.take(next)) {
        this.leave(next, enter!);
        enter!();
      }
    }
  }

  private leave(key: string, enter: Enter): void {
    const rest = this.waiting.get(key)!.filter((other) => other !== enter);
    this.waiting.delete(key);
    if (rest.length > 0) {
      this.waiting.set(key, rest);
    }
  }
}
