import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { UserListPipe } from '../user';
import { CommandFailed, type Command } from './command';
import { print } from './print';
import { withUsers } from './with-users';

/** Also where the operator has closed user creation. On SQLite no server may be running. */
export const createUser: Command = {
  name: 'create-user',
  help: 'Create a user; the password is asked for, or read from standard input',
  positionals: ['USERNAME'],
  async run({ config, positionals: [username] }) {
    const password = process.stdin.isTTY ? await askFor('Password: ') : await firstLine();
    if (!username || !password) {
      throw new CommandFailed('A user who is to log in has a name and a password.');
    }
    const users = new UserListPipe(config).transform([{ username, password }]);
    await withUsers(config, (service) => service.createAll(users));
    await print('The user is created.');
  },
};

async function firstLine(): Promise<string> {
  const input = await text(process.stdin);
  return input.split(/\r?\n/, 1)[0]!;
}

/** Asks in the terminal without showing what is typed. */
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
