import { Unavailable } from '../../common/problem';
import type { Lane } from '../unit-of-work';

interface Waiting {
  lane: Lane;
  enter: () => void;
}

/**
 * Who may have a connection. No kind of work takes them all: bulk work has at most half, one connection is left for
 * urgent work alone, and urgent work never waits behind any other.
 */
export class Lanes {
  private readonly waiting: Waiting[] = [];
  private readonly open: Record<Lane, number> = { urgent: 0, usual: 0, bulk: 0 };
  private readonly most: Record<Lane, number>;

  constructor(private readonly size: number) {
    this.most = { urgent: size, usual: Math.max(1, size - 1), bulk: Math.max(1, Math.floor(size / 2)) };
  }

  /** Waits for a place until then, as performance.now() counts. Answers how to leave it. Throws Unavailable. */
  enter(lane: Lane, until: number): Promise<() => void> {
    if (this.hasRoom(lane)) {
      return Promise.resolve(this.take(lane));
    }
    return new Promise((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer);
        resolve(this.take(lane));
      };
      const waiting = { lane, enter };
      const timer = setTimeout(
        () => {
          this.waiting.splice(this.waiting.indexOf(waiting), 1);
          reject(new Unavailable(new Error('No connection became free in time.')));
        },
        Math.max(0, until - performance.now()),
      );
      this.waiting.push(waiting);
    });
  }

  private take(lane: Lane): () => void {
    this.open[lane] += 1;
    return () => {
      this.open[lane] -= 1;
      this.callNext();
    };
  }

  private callNext(): void {
    for (const lane of ['urgent', 'usual', 'bulk'] as const) {
      const first = this.waiting.findIndex((waiting) => waiting.lane === lane);
      if (first >= 0 && this.hasRoom(lane)) {
        return this.waiting.splice(first, 1)[0]!.enter();
      }
    }
  }

  private hasRoom(lane: Lane): boolean {
    const { urgent, usual, bulk } = this.open;
    return (
      urgent + usual + bulk < this.size &&
      (lane === 'urgent' || usual + bulk < this.most.usual) &&
      (lane !== 'bulk' || bulk < this.most.bulk)
    );
  }
}
