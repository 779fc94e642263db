import { parseJson } from '../platform/common/json';
import { Problem } from '../platform/common/problem';
import { CommandFailed, faultsOf } from './command';
import type { Line, Lines } from './lines';
import { print } from './print';
import { withProgress } from './progress';

/** What a file of JSON lines is imported as. */
export interface Import {
  /** `kind` of the lines that `export` writes of it; those of other kinds are passed over. */
  kind: string;
  /** What is counted. */
  noun: string;
  /** Lines that may be stored at once. */
  most: number;
  /** Stores all or none. Throws a Problem that has errors when it is for a fault of the values. */
  store: (values: unknown[]) => Promise<void>;
}

const LINES_AT_ONCE = 500;
/** Bytes of the lines that are held at once. */
const HELD_AT_ONCE = 4 * 1_048_576;

interface ReadLine {
  line: Line;
  value: unknown;
}

type Refuse = (line: Line, reason: string) => void;

/**
 * Stores what can be stored, as if line by line, and names the other lines and what is wrong with them.
 * Throws CommandFailed at the end when there are any.
 */
export async function importLines({ size, lines }: Lines, { kind, noun, most, store }: Import): Promise<void> {
  let stored = 0;
  let refused = 0;
  const refuse: Refuse = ({ number }, reason) => {
    refused += 1;
    console.error(`Line ${number}: ${reason}`);
  };
  await withProgress(size, noun, async (advance) => {
    for await (const some of batches(lines, Math.min(LINES_AT_ONCE, most))) {
      const good = await storeGood(
        some.flatMap((line) => read(line, kind, refuse)),
        store,
        refuse,
      );
      stored += good;
      advance(
        some.reduce((sum, { bytes }) => sum + bytes, 0),
        good,
      );
    }
  });
  await print(`Created ${noun}: ${stored}.`);
  if (refused > 0) {
    throw new CommandFailed(`Refused lines: ${refused}.`);
  }
}

async function* batches(lines: AsyncIterable<Line>, most: number): AsyncGenerator<Line[]> {
  let batch: Line[] = [];
  let bytes = 0;
  for await (const line of lines) {
    batch.push(line);
    bytes += line.text?.length ?? 0;
    if (batch.length === most || bytes > HELD_AT_ONCE) {
      yield batch;
      batch = [];
      bytes = 0;
    }
  }
  yield batch;
}

/** Nothing for an empty line, for one of another kind, and for one that is refused. */
function read(line: Line, kind: string, refuse: Refuse): ReadLine[] {
  const { text = '', fault } = line;
  if (fault !== undefined) {
    refuse(line, fault);
    return [];
  }
  if (text.trim() === '') {
    return [];
  }
  try {
    const value = parseJson(text);
    return kindOf(value) === undefined || kindOf(value) === kind ? [{ line, value }] : [];
  } catch {
    refuse(line, 'is not JSON');
    return [];
  }
}

function kindOf(value: unknown): string | undefined {
  const { kind } = (value ?? {}) as { kind?: unknown };
  return typeof kind === 'string' ? kind : undefined;
}

/** Answers how many are stored. What fails together is tried again in halves: a few bad lines cost little. */
async function storeGood(given: ReadLine[], store: Import['store'], refuse: Refuse): Promise<number> {
  try {
    await store(given.map(({ value }) => value));
    return given.length;
  } catch (error) {
    const faults = error instanceof Problem ? faultsOf(error) : [];
    if (faults.length === 0) {
      throw error;
    }
    if (given.length === 1) {
      refuse(given[0]!.line, faults.join(', '));
      return 0;
    }
  }
  const half = Math.ceil(given.length / 2);
  const first = await storeGood(given.slice(0, half), store, refuse);
  return first + (await storeGood(given.slice(half), store, refuse));
}
