import { writeJson } from '../platform/common/json';
import { allUsers } from '../user';
import type { AddCommand } from './command';
import { print } from './print';
import { withReader } from './with-app';

export const listUsers: AddCommand = (program, invocation) =>
  program
    .command('list-users')
    .description('Print all users in order of the id, a JSON object on each line, also while the service runs')
    .action(() =>
      withReader(invocation.config, async (reader) => {
        for await (const users of allUsers(reader)) {
          const lines = users.map(({ passwordHash, ...user }) =>
            writeJson({ ...user, canLogIn: user.username !== undefined && passwordHash !== undefined }),
          );
          await print(lines);
        }
      }),
    );
