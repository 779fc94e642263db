import { parseJson } from '../common/json';
import { Problem } from '../common/problem';
import { CommandFailed } from './command';
import type { Line, Lines } from './lines';
import { print } from './print';
import { Progress } from './progress';

/** What a file of JSON lines is imported as. */
export interface Import {
  /** `kind` of the lines that `export` writes of it; those of other kinds are passed over. */
  kind: string;
  /** What is counted. */
  noun: string;
  /** Lines that are stored at once. */
  atOnce: number;
  /** The members that no two things of this kind may share, of a value that may be anything. */
  namesOf: (value: Record<string, unknown>) => Record<string, string>;
  /** Stores all or none. Throws a Problem whose pointers begin with the place in the array. */
  store: (values: unknown[]) => Promise<void>;
}

/** Bytes of the lines that are held at once. */
const HELD_AT_ONCE = 4 * 1_048_576;

interface Given {
  line: Line;
  value: unknown;
}

/**
 * Stores what can be stored, as if line by line, and names the other lines and what is wrong with them.
 * Throws CommandFailed at the end when there are any.
 */
export async function importLines({ size, lines }: Lines, what: Import): Promise<void> {
  const progress = new Progress(size, what.noun);
  let stored = 0;
  let refused = 0;
  const refuse = ({ number }: Line, reason: string) => {
    refused += 1;
    console.error(`Line ${number}: ${reason}`);
  };
  for await (const some of batches(lines, what.atOnce)) {
    const given = some.flatMap((line) => read(line, what.kind, refuse));
    const good = await storeGood(given, what, refuse);
    stored += good;
    progress.advance(
      some.reduce((sum, { bytes }) => sum + bytes, 0),
      good,
    );
  }
  progress.end();
  await print(`${stored} ${what.noun} are created.`);
  if (refused > 0) {
    throw new CommandFailed(`${refused} lines were refused.`);
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
function read(line: Line, kind: string, refuse: (line: Line, reason: string) => void): Given[] {
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
    const ownKind = isObject(value) && typeof value.kind === 'string' ? value.kind : kind;
    return ownKind === kind ? [{ line, value }] : [];
  } catch {
    refuse(line, 'is not JSON');
    return [];
  }
}

/** Answers how many are stored. */
async function storeGood(given: Given[], what: Import, refuse: (line: Line, reason: string) => void): Promise<number> {
  let stored = 0;
  let rest = given;
  while (rest.length > 0) {
    const { first, others } = byName(rest, what.namesOf);
    const faults = await faultsOf(first, what.store);
    first.forEach(({ line }, index) => faults.has(index) && refuse(line, faults.get(index)!));
    if (faults.size > 0) {
      const faulty = new Set(first.filter((_, index) => faults.has(index)));
      rest = rest.filter((each) => !faulty.has(each));
      continue;
    }
    stored += first.length;
    others.forEach((member, { line }) => refuse(line, `${member} is taken`));
    break;
  }
  return stored;
}

/**
 * Of those that share a name, the first one is tried, and another only where that one was refused: as if line by line.
 * The others come with the member that they share.
 */
function byName(given: Given[], namesOf: Import['namesOf']): { first: Given[]; others: Map<Given, string> } {
  const taken = new Set<string>();
  const others = new Map<Given, string>();
  const first = given.filter((each) => {
    const names = Object.entries(isObject(each.value) ? namesOf(each.value) : {});
    const shared = names.findLast(([member, name]) => taken.has(`${member} ${name}`));
    if (shared) {
      others.set(each, shared[0]);
    } else {
      names.forEach(([member, name]) => taken.add(`${member} ${name}`));
    }
    return !shared;
  });
  return { first, others };
}

/** What is wrong, by the place in the array; nothing when all are stored. Anything but faults of elements is thrown on. */
async function faultsOf(given: Given[], store: Import['store']): Promise<Map<number, string>> {
  try {
    await store(given.map(({ value }) => value));
    return new Map();
  } catch (error) {
    const errors = error instanceof Problem ? (error.extra.errors ?? []) : [];
    if (errors.length === 0) {
      throw error;
    }
    return new Map(
      errors.map(({ pointer, detail }) => {
        const [, index, ...member] = pointer.split('/');
        return [Number(index), [...member, detail].join(' ')];
      }),
    );
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
