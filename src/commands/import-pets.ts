import { writeJson } from '../common/json';
import { PetRecords } from '../pet';
import type { Command } from './command';
import { importLines } from './import-lines';
import { openLines } from './lines';
import { withApp } from './with-app';

const LINES_AT_ONCE = 500;

export const importPets: Command = {
  name: 'import-pets',
  help: 'Create pets from a file, a JSON object on each line, as export writes them; lines that cannot be stored are named',
  positionals: ['FILE'],
  async run({ config, positionals: [file] }) {
    const lines = await openLines(file!, config.bodyLimit);
    await withApp(config, (app) => {
      const records = app.get(PetRecords, { strict: false });
      return importLines(lines, {
        kind: 'pet',
        noun: 'pets',
        atOnce: Math.min(LINES_AT_ONCE, config.bulkLimit),
        namesOf: ({ id }): Record<string, string> => (id == null || id === 0 ? {} : { id: writeJson(id) }),
        store: (values) => records.import(values),
      });
    });
  },
};
