import { Unavailable } from '../../common/problem';
import type { Priority } from '../work';

/** `usual` and `bulk` are of units that write; `read` and `list` are the same of those that read. */
export type Kind = Priority | 'read' | 'list';

/**
 * Who may have a connection. Kinds take turns, and urgent work goes first. The last place is left for urgent work and
 * for reading, which end soon, whatever locks the others wait for; lists and bulk work have a part of the places.
 */
export class ConnectionShares {
  private readonly waiting: Record<Kind, Set<() => void>>;
  private readonly open: Record<Kind, number> = { urgent: 0, read: 0, list: 0, usual: 0, bulk: 0 };
  private readonly most: Record<Kind, number>;
  /** Whose turn is next comes first. */
  private readonly turns: Exclude<Kind, 'urgent'>[] = ['read', 'usual', 'list', 'bulk'];

  constructor(private readonly size: number) {
    const atLeastOne = (count: number) => Math.max(1, Math.floor(count));
    this.most = {
      urgent: size,
      read: atLeastOne(size - 2),
      usual: atLeastOne(size - 1),
      list: atLeastOne(size / 4),
      bulk: atLeastOne(size / 2),
    };
    this.waiting = { urgent: new Set(), read: new Set(), list: new Set(), usual: new Set(), bulk: new Set() };
  }

  /** Waits for a place until then, as performance.now() counts. Answers how to leave it. Throws Unavailable. */
  enter(kind: Kind, until: number): Promise<() => void> {
    if (this.hasRoom(kind)) {
      return Promise.resolve(this.take(kind));
    }
    return new Promise((resolve, reject) => {
      const waiting = this.waiting[kind];
      const enter = () => {
        waiting.delete(enter);
        clearTimeout(timer);
        resolve(this.take(kind));
      };
      const timer = setTimeout(
        () => {
          waiting.delete(enter);
          reject(new Unavailable(new Error('No connection became free in time.')));
        },
        Math.max(0, until - performance.now()),
      );
      waiting.add(enter);
    });
  }

  private take(kind: Kind): () => void {
    this.open[kind] += 1;
    return () => {
      this.open[kind] -= 1;
      this.callNext();
    };
  }

  private callNext(): void {
    const next = (['urgent', ...this.turns] as const).find((kind) => this.waiting[kind].size > 0 && this.hasRoom(kind));
    if (next === undefined) {
      return;
    }
    if (next !== 'urgent') {
      this.turns.push(...this.turns.splice(this.turns.indexOf(next), 1));
    }
    const [enter] = this.waiting[next];
    enter!();
  }

  private hasRoom(kind: Kind): boolean {
    const { urgent, read, list, usual, bulk } = this.open;
    const places = kind === 'urgent' || kind === 'read' ? this.size : Math.max(1, this.size - 1);
    return urgent + read + list + usual + bulk < places && this.open[kind] < this.most[kind];
  }
}
