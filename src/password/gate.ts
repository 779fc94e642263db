import { Rounds } from '../common/rounds';

interface Waiting {
  enter: () => void;
}

/** Lets a few in at a time; those who wait take turns by their keys. */
export class Gate {
  private readonly waiting = new Rounds<Waiting>();
  private inside = 0;

  constructor(private readonly places: number) {}

  /** Throws the signal's reason where the client goes away while it waits. */
  async run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.inside < this.places) {
      this.inside += 1;
    } else {
      await this.wait(key, signal);
    }
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  private wait(key: string, signal?: AbortSignal): Promise<void> {
    return new Promise((enter, refuse) => {
      const one = { enter };
      this.waiting.push(key, one);
      signal?.addEventListener('abort', () => this.waiting.remove(key, one) && refuse(signal.reason as Error));
    });
  }

  /** Hands the place on, or leaves it free. */
  private leave(): void {
    const next = this.waiting.shift();
    if (next) {
      next.enter();
    } else {
      this.inside -= 1;
    }
  }
}
