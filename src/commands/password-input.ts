import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandFailed } from './command';
import { linesOf } from './lines';

/** Far more than a password may have. */
const MOST_BYTES = 65_536;

/** Asked for in a terminal, where it is not shown; else the first line of standard input. Throws CommandFailed. */
export async function readPassword(): Promise<string> {
  const password = process.stdin.isTTY ? await askFor('Password: ') : await firstLine();
  if (!password) {
    throw new CommandFailed('The password is empty.');
  }
  return password;
}

async function firstLine(): Promise<string> {
  for await (const { text, fault } of linesOf(process.stdin as AsyncIterable<Buffer>, MOST_BYTES)) {
    if (fault !== undefined) {
      throw new CommandFailed(`The password ${fault}.`);
    }
    return text!.replace(/\r$/, '');
  }
  return '';
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
