import type { INestApplicationContext } from '@nestjs/common';
import { Config } from '../platform/config';
import { UserListPipe, UserRecords } from '../user';
import type { AddCommand } from './command';
import { importLines } from './import-lines';
import { openLines, type Lines } from './lines';
import { withApp } from './with-app';

/** Like the bulk creation, but what can be stored is stored. */
export const importUsers: AddCommand = (program, invocation) =>
  program
    .command('import-users <file>')
    .description('Create users from a file of JSON lines as export writes them; lines that cannot be stored are named')
    .action(async (file: string) => {
      const lines = await openLines(file, invocation.config.bodyLimit);
      await withApp(invocation.config, (app) => importUserLines(app, lines));
    });

export function importUserLines(app: INestApplicationContext, lines: Lines): Promise<void> {
  const config = app.get(Config);
  const records = app.get(UserRecords, { strict: false });
  const pipe = new UserListPipe(config);
  const store = (values: unknown[]) =>
    records.import(
      pipe.transform(values),
      values.map((value) => (value as { passwordHash?: unknown }).passwordHash),
    );
  return importLines(lines, { kind: 'user', noun: 'users', most: config.bulkLimit, store });
}
