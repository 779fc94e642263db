import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { UnitOfWork } from '../platform/database';
import { countPets } from '../pet';
import { countUsers, UserRecords } from '../user';
import { CommandFailed, type AddCommand } from './command';
import { importPetLines } from './import-pets';
import { importUserLines } from './import-users';
import { openLines } from './lines';
import { print } from './print';
import { addressOf } from './serve';
import { withApp } from './with-app';

/** As export writes it; the same each time, so that what is shown with it can be shown again. */
const DATA = join(__dirname, 'assets/demo.ndjson');
const OWNER = { id: 1001, username: 'ada.berg' };

/** Only one user can log in, with a password of this run: whoever reads the source would know any other. */
export const demo: AddCommand = (program, invocation) =>
  program
    .command('demo')
    .description('Fill an empty database with some hundred pets and users to try the service with')
    .action(() =>
      withApp(invocation.config, async (app) => {
        const database = app.get(UnitOfWork, { strict: false });
        if ((await countUsers(database)) + (await countPets(database)) > 0) {
          throw new CommandFailed(
            'The database is not empty: demo fills only one in which there are no pets and no users.',
          );
        }
        await importUserLines(app, await openLines(DATA, Infinity));
        await importPetLines(app, await openLines(DATA, Infinity));
        const { id, username } = OWNER;
        const password = randomBytes(9).toString('base64url');
        await app.get(UserRecords, { strict: false }).setPassword(username, password);
        const address = addressOf(invocation.config);
        const body = `'${JSON.stringify({ username, password })}'`;
        const logIn = `curl -s -H 'Accept: text/plain' ${address}/v2/user/login --json ${body}`;
        await print([
          `One of the users can log in: ${username}, with the password ${password}`,
          'Log in and read the pets of this user, once the service runs:',
          `  curl -H "Authorization: Bearer $(${logIn})" '${address}/v1/pet?owner_id=${id}'`,
        ]);
      }),
    );
