const WIDTH = 30;
const REDRAW_EVERY_MS = 100;
const LINE_EVERY_MS = 10_000;

/** A bar, a count and a rate on standard error: redrawn in a terminal, elsewhere a line every ten seconds. */
export class Progress {
  private readonly began = performance.now();
  private shown = this.began;
  private done = 0;
  private count = 0;

  /** `total` is what the parts add up to; `noun` is what is counted. */
  constructor(
    private readonly total: number,
    private readonly noun: string,
    private readonly output: Pick<NodeJS.WriteStream, 'write' | 'isTTY'> = process.stderr,
  ) {}

  advance(part: number, count: number): void {
    this.done += part;
    this.count += count;
    const now = performance.now();
    if (now - this.shown >= (this.output.isTTY ? REDRAW_EVERY_MS : LINE_EVERY_MS)) {
      this.shown = now;
      this.show();
    }
  }

  end(): void {
    this.show();
    if (this.output.isTTY) {
      this.output.write('\n');
    }
  }

  private show(): void {
    const share = this.total === 0 ? 1 : Math.min(1, this.done / this.total);
    const seconds = (performance.now() - this.began) / 1_000;
    const filled = Math.round(share * WIDTH);
    const bar = '#'.repeat(filled) + '-'.repeat(WIDTH - filled);
    const rate = Math.round(this.count / seconds).toLocaleString('en');
    const left = share > 0 ? Math.round((seconds * (1 - share)) / share) : '?';
    const text =
      `[${bar}] ${Math.floor(share * 100)} %  ${this.count.toLocaleString('en')} ${this.noun}, ` +
      `${rate} a second, ${left} s left`;
    // In a terminal: back to the start of the line, and wipe it.
    this.output.write(this.output.isTTY ? `\r\x1b[K${text}` : `${text}\n`);
  }
}
