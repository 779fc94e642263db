import { writeJson } from '../common/json';
import { allUsers } from '../user';
import type { Command } from './command';
import { print } from './print';
import { withReader } from './with-app';

export const listUsers: Command = {
  name: 'list-users',
  help: 'Print all users in order of the id, a JSON object on each line, also while the service runs',
  run: ({ config }) =>
    withReader(config, async (reader) => {
      for await (const users of allUsers(reader)) {
        const lines = users.map(({ passwordHash, ...user }) =>
          writeJson({ ...user, canLogIn: user.username !== undefined && passwordHash !== undefined }),
        );
        await print(lines);
      }
    }),
};
