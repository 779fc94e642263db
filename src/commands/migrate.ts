import { openDatabase } from '../platform/database';
import { entities } from '../entities';
import type { AddCommand } from './command';
import { print } from './print';

export const migrate: AddCommand = (program, invocation) =>
  program
    .command('migrate')
    .description("Bring the database's schema up to date, as serve does, and end")
    .action(async () => {
      const database = await openDatabase(invocation.config, entities);
      await database.onApplicationShutdown();
      await print('The schema is up to date.');
    });
