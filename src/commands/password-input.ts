import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandFailed } from './command';

/** Far more than a password may have. */
const MOST_BYTES = 65_536;

/** Asked for in a terminal, where it is not shown; else the one line of standard input. Throws CommandFailed. */
export async function readPassword(): Promise<string> {
  const password = process.stdin.isTTY ? await askFor('Password: ') : await onlyLine();
  if (!password) {
    throw new CommandFailed('The password is empty.');
  }
  return password;
}

async function onlyLine(): Promise<string> {
  let input = Buffer.alloc(0);
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    input = Buffer.concat([input, chunk]);
    if (input.length > MOST_BYTES) {
      throw new CommandFailed(`The password is longer than ${MOST_BYTES} bytes.`);
    }
  }
  const line = decode(input).replace(/\r?\n$/, '');
  if (line.includes('\n')) {
    throw new CommandFailed('The password is one line, but standard input has several.');
  }
  return line;
}

function decode(input: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(input);
  } catch {
    throw new CommandFailed('The password is not UTF-8.');
  }
}

/** A name from the command line. Node has put U+FFFD in the place of what is not UTF-8. */
export function readName(argument: string): string {
  if (argument === '' || argument.includes('\ufffd')) {
    throw new CommandFailed(argument === '' ? 'The name is empty.' : 'The name is not UTF-8.');
  }
  return argument;
}

async function askFor(prompt: string): Promise<string> {
  process.stderr.write(prompt);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    return await Promise.race([
      terminal.question(''),
      new Promise<string>((given) => terminal.once('close', () => given(''))),
    ]);
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}
