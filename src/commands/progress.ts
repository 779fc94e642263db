import { SingleBar } from 'cli-progress';

/** Draws a bar on standard error while `work` advances it; in a terminal only. `noun` is what is counted. */
export async function withProgress<T>(
  total: number,
  noun: string,
  work: (advance: (part: number, count: number) => void) => Promise<T>,
): Promise<T> {
  const format = `[{bar}] {percentage} %  {count} ${noun}, {eta_formatted} left`;
  const bar = new SingleBar({ format, barsize: 30, barCompleteChar: '#', barIncompleteChar: '-', linewrap: true });
  let counted = 0;
  bar.start(total, 0, { count: 0 });
  try {
    return await work((part, count) => bar.increment(part, { count: (counted += count) }));
  } finally {
    bar.stop();
  }
}
