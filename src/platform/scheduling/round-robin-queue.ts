/** What waits, each under a key. */
export interface Queue<Key, T> {
  push(key: Key, item: T): void;
  shift(): T | undefined;
  /** Takes an item out wherever it stands. */
  remove(key: Key, item: T): void;
}

/** Takes one item of a key, then one of the next key. */
export class RoundRobinQueue<T, Key = string> implements Queue<Key, T> {
  /** The key that is served next comes first. No queue is empty. */
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

  /** The next item of the first key that `mayGo`; that key is the last one then. */
  shift(mayGo: (key: Key) => boolean = () => true): T | undefined {
    for (const [key, queue] of this.queues) {
      if (mayGo(key)) {
        const item = queue.shift();
        this.queues.delete(key);
        if (queue.length > 0) {
          this.queues.set(key, queue);
        }
        return item;
      }
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
