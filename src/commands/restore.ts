import { entities } from '../entities';
import { restoreSqlite } from '../platform/database';
import { assertHashesInBounds } from '../user';
import { CommandFailed, type AddCommand } from './command';
import { print } from './print';

export const restore: AddCommand = (program, invocation) =>
  program
    .command('restore <file>')
    .description('Put a backup in the place of the SQLite database, while no service runs')
    .action(async (backup: string) => {
      const { database } = invocation.config;
      if (database.type === 'postgres') {
        throw new CommandFailed('PostgreSQL has tools for this: psql, pg_restore. See docs/storage.md.');
      }
      try {
        await restoreSqlite(database, backup, entities, assertHashesInBounds);
      } catch (error) {
        throw new CommandFailed(`Nothing was restored: ${(error as Error).message.replace(/\.$/, '')}.`);
      }
      await print(`${database.file} holds what ${backup} does.`);
    });
