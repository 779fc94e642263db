import { backUpSqlite } from '../platform/database';
import { CommandFailed, type AddCommand } from './command';
import { print } from './print';

export const backup: AddCommand = (program, invocation) =>
  program
    .command('backup <file>')
    .description('Copy the SQLite database to a new file while the service goes on')
    .action(async (target: string) => {
      const { database } = invocation.config;
      if (database.type === 'postgres') {
        throw new CommandFailed('PostgreSQL has tools for this: pg_dump, pg_basebackup. See docs/storage.md.');
      }
      try {
        await backUpSqlite(database.file, target);
      } catch (error) {
        throw new CommandFailed(`No backup was made: ${(error as Error).message}.`);
      }
      await print(`${target} holds a sound copy of ${database.file}.`);
    });
