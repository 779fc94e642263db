const PAUSE_MS = 1_000;
/** Different lines within a second; beyond that they count as one. */
const MOST_KNOWN = 100;

/** `repeated`: how many lines this one stands for, beside itself; undefined for the first. */
type Write = (repeated?: number) => void;

/**
 * A database that is away fails thousands of requests a second, all for the same reason. Of lines that say the same,
 * the first is written at once, and then one a second with the number of those that came meanwhile.
 */
export class LogDeduplicator {
  private readonly known = new Map<string, { count: number; write: Write }>();

  tell(text: string, write: Write): void {
    const key = this.known.size < MOST_KNOWN || this.known.has(text) ? text : '';
    const earlier = this.known.get(key);
    if (earlier) {
      earlier.count += 1;
      earlier.write = write;
    } else {
      write();
      this.watch(key, write);
    }
  }

  private watch(key: string, write: Write): void {
    const line = { count: 0, write };
    this.known.set(key, line);
    setTimeout(() => {
      this.known.delete(key);
      if (line.count > 0) {
        line.write(line.count);
        this.watch(key, line.write);
      }
    }, PAUSE_MS).unref();
  }
}
