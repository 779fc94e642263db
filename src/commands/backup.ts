import { backUpSqlite } from '../database';
import { CommandFailed, type Command } from './command';
import { print } from './print';

export const backup: Command = {
  name: 'backup',
  help: 'Copy the SQLite database to a new file while the service goes on',
  positionals: ['FILE'],
  async run({ config: { database }, positionals: [target] }) {
    if (database.type === 'postgres') {
      throw new CommandFailed('PostgreSQL has tools for this: pg_dump, pg_basebackup. See docs/storage.md.');
    }
    try {
      await backUpSqlite(database.file, target!);
    } catch (error) {
      throw new CommandFailed(`No backup was made: ${(error as Error).message}.`);
    }
    await print(`${target} holds a sound copy of ${database.file}.`);
  },
};
