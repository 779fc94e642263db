import { UserRecords } from '../user';
import { CommandFailed, type Command } from './command';
import { readName } from './password-input';
import { print } from './print';
import { withApp } from './with-app';

export const deleteUser: Command = {
  name: 'delete-user',
  help: 'Delete a user with all that is kept of the user; all sessions end, and the name is free again',
  positionals: ['USERNAME'],
  async run({ config, positionals: [argument] }) {
    const username = readName(argument!);
    if (!(await withApp(config, (app) => app.get(UserRecords, { strict: false }).delete(username)))) {
      throw new CommandFailed('There is no user of this name.');
    }
    await print('The user is deleted.');
  },
};
