import { UserListPipe, UserRecords } from '../user';
import { CommandFailed, type AddCommand } from './command';
import { readName, readPassword } from './password-input';
import { print } from './print';
import { withApp } from './with-app';

export const setPassword: AddCommand = (program, invocation) =>
  program
    .command('set-password <username>')
    .description('Set the password of a user, and end all sessions; it is asked for, or read from standard input')
    .action(async (argument: string) => {
      const { config } = invocation;
      const username = readName(argument);
      const password = await readPassword();
      // The rules of a password are those of its creation.
      new UserListPipe(config).transform([{ password }]);
      const found = await withApp(config, (app) =>
        app.get(UserRecords, { strict: false }).setPassword(username, password),
      );
      if (!found) {
        throw new CommandFailed('There is no user of this name.');
      }
      await print('The password is set, and all sessions of the user have ended.');
    });
