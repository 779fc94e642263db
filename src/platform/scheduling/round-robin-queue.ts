/** What waits, by keys. */
export interface Queue<Key, T> {
  push(key: Key, item: T): void;
  shift(): T | undefined;
  /** Takes an item out wherever it stands. */
  remove(key: Key, item: T): void;
}

/** Each key has its next item taken, then the next key has. */
export class RoundRobinQueue<T, Key = string> implements Queue<Key, T> {
  /** The key that is served next comes first; none is empty. */
  private readonly queues = new Map<Key, T[]>();

  get isEmpty(): boolean {
    return this.queues.size === 0;
  }

  push(key: Key, item: T): void {
    const queue = this.queues.get(key);
    if (queue) {
      queue.push(item);
    } else {
      this.queues.set(key, [item]);
    }
  }

  shift(): T | undefined {
    for (const [key, queue] of this.queues) {
      const item = queue.shift();
      this.queues.delete(key);
      if (queue.length > 0) {
        this.queues.set(key, queue);
      }
      return item;
    }
    return undefined;
  }

  remove(key: Key, item: T): void {
    const rest = (this.queues.get(key) ?? []).filter((other) => other !== item);
    if (rest.length > 0) {
      this.queues.set(key, rest);
    } else {
      this.queues.delete(key);
    }
  }
}
