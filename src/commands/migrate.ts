import { openDatabase } from '../database';
import { entities } from '../entities';
import type { Command } from './command';
import { print } from './print';

export const migrate: Command = {
  name: 'migrate',
  help: "Bring the database's schema up to date, as serve does, and end",
  async run({ config }) {
    const database = await openDatabase(config, entities);
    await database.onApplicationShutdown();
    await print('The schema is up to date.');
  },
};
