import { writeJson } from '../common/json';
import { UserListPipe, UserRecords } from '../user';
import type { Command } from './command';
import { importLines } from './import-lines';
import { openLines } from './lines';
import { withApp } from './with-app';

const LINES_AT_ONCE = 500;

/** Like the bulk creation, but what can be stored is stored. */
export const importUsers: Command = {
  name: 'import-users',
  help: 'Create users from a file, a JSON object on each line, as `export` writes them; lines that cannot be stored are named',
  positionals: ['FILE'],
  async run({ config, positionals: [file] }) {
    const lines = await openLines(file!, config.bodyLimit);
    await withApp(config, (app) => {
      const records = app.get(UserRecords, { strict: false });
      const pipe = new UserListPipe(config);
      return importLines(lines, {
        kind: 'user',
        noun: 'users',
        atOnce: Math.min(LINES_AT_ONCE, config.bulkLimit),
        namesOf: ({ id, username }) => ({
          ...(id != null && id !== 0 && { id: writeJson(id) }),
          ...(typeof username === 'string' && { username: username.normalize('NFC') }),
        }),
        store: (values) =>
          records.import(
            pipe.transform(values),
            values.map((value) => (value as { passwordHash?: unknown }).passwordHash),
          ),
      });
    });
  },
};
