import { UserRecords } from '../user';
import { CommandFailed, type AddCommand } from './command';
import { readName } from './password-input';
import { print } from './print';
import { withApp } from './with-app';

export const deleteUser: AddCommand = (program, invocation) =>
  program
    .command('delete-user <username>')
    .description('Delete a user with all that is kept of the user; all sessions end, and the name is free again')
    .action(async (argument: string) => {
      const username = readName(argument);
      if (!(await withApp(invocation.config, (app) => app.get(UserRecords, { strict: false }).delete(username)))) {
        throw new CommandFailed('There is no user of this name.');
      }
      await print('The user is deleted.');
    });
