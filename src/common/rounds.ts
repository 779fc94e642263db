/** What waits, in rounds: each key has its next item taken, then it is the next key's turn. */
export class Rounds<T> {
  private readonly lines = new Map<string, T[]>();
  /** The keys that have anything, each once, whose turn is next first. */
  private readonly turns: string[] = [];

  push(key: string, item: T): void {
    const line = this.lines.get(key);
    if (line) {
      line.push(item);
    } else {
      this.lines.set(key, [item]);
      this.turns.push(key);
    }
  }

  shift(): T | undefined {
    for (let key = this.turns.shift(); key !== undefined; key = this.turns.shift()) {
      const line = this.lines.get(key)!;
      const item = line.shift();
      if (line.length > 0) {
        this.turns.push(key);
      } else {
        this.lines.delete(key);
      }
      if (item !== undefined) {
        return item;
      }
    }
    return undefined;
  }

  /** Takes an item out wherever it stands; false where it does not wait any more. */
  remove(key: string, item: T): boolean {
    const line = this.lines.get(key) ?? [];
    const index = line.indexOf(item);
    if (index >= 0) {
      line.splice(index, 1); // a line left empty goes at its turn
    }
    return index >= 0;
  }
}
