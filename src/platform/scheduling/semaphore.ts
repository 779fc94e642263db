import { RoundRobinQueue, type Queue } from './round-robin-queue';

type Enter = () => void;

/** Lets a few in at a time. Keys that wait take turns, unless another queue decides who is next. */
export class Semaphore<Key = string> {
  private inside = 0;

  /** The number of places may change; a new one counts from the next arrival or departure on. */
  constructor(
    private readonly places: () => number,
    private readonly waiting: Queue<Key, Enter> = new RoundRobinQueue(),
  ) {}

  /** Waits for a place; `release` gives it back. Throws the signal's reason where that aborts first. */
  acquire(key: Key, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const enter = () => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.waiting.remove(key, enter);
        reject(signal!.reason as Error);
      };
      signal?.addEventListener('abort', leave);
      this.waiting.push(key, enter);
      this.admit();
    });
  }

  release(): void {
    this.inside -= 1;
    this.admit();
  }

  /** Does the work in a place of its own. */
  async run<T>(key: Key, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.acquire(key, signal);
    try {
      return await work();
    } finally {
      this.release();
    }
  }

  private admit(): void {
    const places = this.places();
    for (let enter: Enter | undefined; this.inside < places && (enter = this.waiting.shift()); enter()) {
      this.inside += 1;
    }
  }
}
