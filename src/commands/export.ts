import { writeJson } from '../common/json';
import type { Reader } from '../database';
import { allPets, countPets } from '../pet';
import { allUsers, countUsers } from '../user';
import type { Command } from './command';
import { print } from './print';
import { Progress } from './progress';
import { withReader } from './with-app';

export const exportAll: Command = {
  name: 'export',
  help: 'Print all users and pets, a JSON object on each line, also while the service runs; the imports read it',
  flags: { 'with-hashes': "The hashes of the users' passwords too" },
  run: ({ config, flags }) => withReader(config, (reader) => exportFrom(reader, flags.has('with-hashes'))),
};

async function exportFrom(reader: Reader, withHashes: boolean): Promise<void> {
  const progress = new Progress((await countUsers(reader)) + (await countPets(reader)), 'lines');
  const tell = async (kind: string, records: object[]) => {
    await print(records.map((record) => writeJson({ kind, ...record })));
    progress.advance(records.length, records.length);
  };
  for await (const users of allUsers(reader)) {
    await tell(
      'user',
      users.map(({ passwordHash, ...user }) => (withHashes ? { ...user, passwordHash } : user)),
    );
  }
  for await (const pets of allPets(reader)) {
    await tell('pet', pets);
  }
  progress.end();
}
