const PAUSE_MS = 1_000;
/** Different lines within a second; all further ones count as the same line. */
const MOST_KNOWN = 100;

/** `repeated`: the number of lines that this one stands for beside itself; undefined for the first. */
type WriteLine = (repeated?: number) => void;

/**
 * While a database is away, thousands of requests a second fail for the same reason. Of lines with the same text the
 * first is written at once, and then one a second with the number of those that came meanwhile.
 */
export class LogDeduplicator {
  private readonly known = new Map<string, { count: number; write: WriteLine }>();

  log(text: string, write: WriteLine): void {
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

  private watch(key: string, write: WriteLine): void {
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
