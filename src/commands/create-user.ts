import { UserListPipe, UserService } from '../user';
import type { AddCommand } from './command';
import { readName, readPassword } from './password-input';
import { print } from './print';
import { withApp } from './with-app';

/** Also where the operator has closed user creation. */
export const createUser: AddCommand = (program, invocation) =>
  program
    .command('create-user <username>')
    .description('Create a user; the password is asked for, or read from standard input')
    .action(async (argument: string) => {
      const { config } = invocation;
      const username = readName(argument);
      const users = new UserListPipe(config).transform([{ username, password: await readPassword() }]);
      await withApp(config, (app) => app.get(UserService, { strict: false }).createAll(users));
      await print('The user is created.');
    });
