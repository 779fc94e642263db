import { Unavailable } from '../../common/problem';
import type { Priority } from '../work';

/** `usual` and `bulk` are of units that write; `read` and `list` are the same of those that read. */
export type Kind = Priority | 'read' | 'list';

interface Share {
  most: number;
  open: number;
  waiting: Set<() => void>;
}

/**
 * Who may have a connection. Urgent work goes first, then the kind that has the fewest. One place is kept for urgent
 * work and for reading, which end soon, whatever locks the others wait for; lists and bulk work have a part of them.
 */
export class ConnectionShares {
  private readonly shares: Record<Kind, Share>;
  /** Of kinds that have as few, the first is next, and the last one then. */
  private readonly turns: Kind[] = ['urgent', 'read', 'usual', 'list', 'bulk'];

  constructor(private readonly size: number) {
    const share = (part: number) => ({ most: Math.max(1, Math.floor(part)), open: 0, waiting: new Set<() => void>() });
    this.shares = {
      urgent: share(size),
      read: share(size - 2),
      usual: share(size - 1),
      list: share(size / 4),
      bulk: share(size / 2),
    };
  }

  /** Waits for a place until then, as performance.now() counts. Answers how to leave it. Throws Unavailable. */
  enter(kind: Kind, until: number): Promise<() => void> {
    if (this.hasRoom(kind)) {
      return Promise.resolve(this.take(kind));
    }
    return new Promise((resolve, reject) => {
      const { waiting } = this.shares[kind];
      const enter = () => {
        clearTimeout(timer);
        waiting.delete(enter);
        resolve(this.take(kind));
      };
      const giveUp = () => {
        waiting.delete(enter);
        reject(new Unavailable(new Error('No connection became free in time.')));
      };
      const timer = setTimeout(giveUp, Math.max(0, until - performance.now()));
      waiting.add(enter);
    });
  }

  private take(kind: Kind): () => void {
    this.turns.push(...this.turns.splice(this.turns.indexOf(kind), 1));
    this.shares[kind].open += 1;
    return () => {
      this.shares[kind].open -= 1;
      this.callNext();
    };
  }

  private callNext(): void {
    const ready = this.turns.filter((kind) => this.shares[kind].waiting.size > 0 && this.hasRoom(kind));
    const has = (kind: Kind) => (kind === 'urgent' ? -1 : this.shares[kind].open);
    const [next] = ready.sort((a, b) => has(a) - has(b));
    if (next !== undefined) {
      const [enter] = this.shares[next].waiting;
      enter!();
    }
  }

  private hasRoom(kind: Kind): boolean {
    const { urgent, read, list, usual, bulk } = this.shares;
    const locking = list.open + usual.open + bulk.open;
    const isLeft = kind === 'urgent' || kind === 'read' || locking < Math.max(1, this.size - 1);
    return isLeft && urgent.open + read.open + locking < this.size && this.shares[kind].open < this.shares[kind].most;
  }
}
