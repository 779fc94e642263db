import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { parseJson } from '../common/json';
import { Problem } from '../common/problem';
import type { Config } from '../config';
import { UserListPipe, type UserService } from '../user';
import { CommandFailed, type Command } from './command';
import { print } from './print';
import { Progress } from './progress';
import { withUsers } from './with-users';

const LINES_AT_ONCE = 500;

interface Line {
  number: number;
  text: string;
}

/** Like the bulk creation, but what can be stored is stored. On SQLite no server may be running. */
export const importUsers: Command = {
  name: 'import-users',
  help: 'Create users from a file, a JSON object on each line; lines that cannot be stored are named',
  positionals: ['FILE'],
  async run({ config, positionals: [file] }) {
    const size = await sizeOf(file!);
    const { stored, refused } = await withUsers(config, (users) => importFrom(file!, size, users, config));
    await print(`${stored} users are created.`);
    if (refused > 0) {
      throw new CommandFailed(`${refused} lines were refused.`);
    }
  },
};

async function importFrom(file: string, size: number, users: UserService, config: Config) {
  const pipe = new UserListPipe(config);
  const progress = new Progress(size, 'users');
  let stored = 0;
  let refused = 0;
  for await (const lines of chunksOf(file, Math.min(LINES_AT_ONCE, config.bulkLimit))) {
    const good = await store(lines, (values) => users.createAll(pipe.transform(values)));
    stored += good;
    refused += lines.length - good;
    progress.advance(Buffer.byteLength(lines.map(({ text }) => `${text}\n`).join('')), good);
  }
  progress.end();
  return { stored, refused };
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch {
    throw new CommandFailed('The file cannot be read.');
  }
}

async function* chunksOf(file: string, size: number): AsyncGenerator<Line[]> {
  let lines: Line[] = [];
  let number = 0;
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    number += 1;
    if (text.trim() !== '') {
      lines.push({ number, text });
    }
    if (lines.length === size) {
      yield lines;
      lines = [];
    }
  }
  if (lines.length > 0) {
    yield lines;
  }
}

/** Creates the users of all lines that it can, and answers how many; names the others and why. */
async function store(lines: Line[], create: (values: unknown[]) => Promise<void>): Promise<number> {
  let rest = lines.flatMap((line) => {
    try {
      return [{ line, value: parseJson(line.text) }];
    } catch {
      refuse(line, 'is not JSON');
      return [];
    }
  });
  while (rest.length > 0) {
    try {
      await create(rest.map(({ value }) => value));
      break;
    } catch (error) {
      const faults = faultsOf(error);
      rest.forEach(({ line }, index) => faults.has(index) && refuse(line, faults.get(index)!));
      rest = rest.filter((_, index) => !faults.has(index));
    }
  }
  return rest.length;
}

/** What is wrong, by the place in the array. Anything but faults of elements is thrown on. */
function faultsOf(error: unknown): Map<number, string> {
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

function refuse({ number }: Line, reason: string): void {
  console.error(`Line ${number}: ${reason}`);
}
