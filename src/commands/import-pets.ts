import type { INestApplicationContext } from '@nestjs/common';
import { Config } from '../platform/config';
import { PetRecords } from '../pet';
import type { AddCommand } from './command';
import { importLines } from './import-lines';
import { openLines, type Lines } from './lines';
import { withApp } from './with-app';

export const importPets: AddCommand = (program, invocation) =>
  program
    .command('import-pets <file>')
    .description('Create pets from a file of JSON lines as export writes them; lines that cannot be stored are named')
    .action(async (file: string) => {
      const lines = await openLines(file, invocation.config.bodyLimit);
      await withApp(invocation.config, (app) => importPetLines(app, lines));
    });

export function importPetLines(app: INestApplicationContext, lines: Lines): Promise<void> {
  const records = app.get(PetRecords, { strict: false });
  const store = (values: unknown[]) => records.import(values);
  return importLines(lines, { kind: 'pet', noun: 'pets', most: app.get(Config).bulkLimit, store });
}
