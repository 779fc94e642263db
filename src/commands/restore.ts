import { restoreSqlite } from '../database';
import { CommandFailed, type Command } from './command';
import { print } from './print';

export const restore: Command = {
  name: 'restore',
  help: 'Put a backup in the place of the SQLite database, while no service runs',
  positionals: ['FILE'],
  async run({ config: { database }, positionals: [backup] }) {
    if (database.type === 'postgres') {
      throw new CommandFailed('PostgreSQL has tools for this: psql, pg_restore. See docs/storage.md.');
    }
    try {
      await restoreSqlite(database.file, backup!);
    } catch (error) {
      throw new CommandFailed(`Nothing was restored: ${(error as Error).message.replace(/\.$/, '')}.`);
    }
    await print(`${database.file} holds what ${backup} does.`);
  },
};
