import { writeJson } from '../platform/common/json';
import type { Reader } from '../platform/database';
import { allPets, countPets } from '../pet';
import { allUsers, countUsers } from '../user';
import type { AddCommand } from './command';
import { print } from './print';
import { withProgress } from './progress';
import { withReader } from './with-app';

export const exportAll: AddCommand = (program, invocation) =>
  program
    .command('export')
    .description(
      'Print all users and pets, a JSON object on each line, also while the service runs; the imports read it',
    )
    .option('--with-hashes', "the hashes of the users' passwords too")
    .action(({ withHashes = false }: { withHashes?: boolean }) =>
      withReader(invocation.config, (reader) => exportFrom(reader, withHashes)),
    );

async function exportFrom(reader: Reader, withHashes: boolean): Promise<void> {
  const total = (await countUsers(reader)) + (await countPets(reader));
  await withProgress(total, 'lines', async (advance) => {
    const printAll = async (kind: string, records: object[]) => {
      await print(records.map((record) => writeJson({ kind, ...record })));
      advance(records.length, records.length);
    };
    for await (const users of allUsers(reader)) {
      await printAll(
        'user',
        users.map(({ passwordHash, ...user }) => (withHashes ? { ...user, passwordHash } : user)),
      );
    }
    for await (const pets of allPets(reader)) {
      await printAll('pet', pets);
    }
  });
}
