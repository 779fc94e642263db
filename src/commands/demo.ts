import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp } from '../app';
import type { Config } from '../config';
import { DatabaseInUse, UnitOfWork, type Reader } from '../database';
import { countPets } from '../pet';
import { countUsers } from '../user';
import { CommandFailed, type Command } from './command';
import { demoData } from './demo-data';
import { print } from './print';
import { withReader } from './with-app';

/** Updates under way. */
const AT_ONCE = 20;
const ATTEMPTS = 5;

type Database = Pick<Reader, 'read'>;

/** Works as a client, so it tries what it shows, and can do so beside a service that shares its file with nobody. */
export const demo: Command = {
  name: 'demo',
  help: 'Fill an empty database with some hundred pets and users to try the service with, also while it runs',
  run: ({ config }) =>
    withService(config, async (url, database) => {
      if ((await countUsers(database)) + (await countPets(database)) > 0) {
        throw new CommandFailed(
          'The database is not empty: demo fills only one in which there are no pets and no users.',
        );
      }
      // Only one user can log in, with a password of this run: the others' would be known to all who read the source.
      const password = randomBytes(9).toString('base64url');
      const { username, ownerId, users, pets } = await fill(new Client(url), database, password);
      const address = addressOf(config);
      const body = `'${JSON.stringify({ username, password })}'`;
      const logIn = `curl -s -H 'Accept: text/plain' ${address}/v2/user/login --json ${body}`;
      await print([
        `${users} users and ${pets} pets are created.`,
        `One of the users can log in: ${username}, with the password ${password}`,
        'Log in and read the pets of this user, once the service runs:',
        `  curl -H "Authorization: Bearer $(${logIn})" '${address}/v1/pet?owner_id=${ownerId}'`,
      ]);
    }),
};

/** At the service that has the database, or else at one that is started for this alone and lets everybody create. */
async function withService(config: Config, work: (url: string, database: Database) => Promise<void>): Promise<void> {
  const doors = { petCreation: 'open', petReading: 'open', userCreation: 'open' } as const;
  const app = await createApp({ ...config, doors, logLevel: 'silent' }).catch((error: unknown) => {
    if (error instanceof DatabaseInUse) {
      return null;
    }
    throw error;
  });
  if (!app) {
    return withReader(config, (reader) => work(addressOf(config), reader));
  }
  try {
    await app.listen(0, '127.0.0.1');
    await work(await app.getUrl(), app.get(UnitOfWork, { strict: false }));
  } finally {
    await app.close();
  }
}

async function fill(client: Client, database: Database, password: string) {
  const data = demoData();
  const ids: number[] = [];
  for (const [index, user] of data.users.entries()) {
    const { id } = await client.send<{ id: number }>('POST', '/v2/user', index === 0 ? { ...user, password } : user);
    ids.push(id);
    if (index === 0 && (await countUsers(database)) === 0) {
      throw new CommandFailed(
        `The service at ${client.url} has another database, in which ${user.username} is a user now: set HOST and PORT as the right one has them.`,
      );
    }
  }
  const { username } = data.users[0]!;
  client.token = await client.send<string>('POST', '/v2/user/login', { username, password });
  for (let begin = 0; begin < data.pets.length; begin += AT_ONCE) {
    const updates: object[] = [];
    // One after the other, so that each pet has the same id each time.
    for (const { owner, created, updated } of data.pets.slice(begin, begin + AT_ONCE)) {
      const { id } = await client.send<{ id: number }>('POST', '/v1/pet', { ...created, owner_id: String(ids[owner]) });
      updates.push({ id, ...updated });
    }
    await Promise.all(updates.map((update) => client.send('PUT', '/v2/pet', update)));
  }
  await client.send('GET', '/v2/user/logout');
  return { username, ownerId: ids[0], users: ids.length, pets: data.pets.length };
}

class Client {
  token?: string;

  constructor(readonly url: string) {}

  /**
   * Answers what the body says. What the service cannot do for now is sent again, under the same key, so that nothing
   * is made twice. Throws CommandFailed where the service says no, or nothing.
   */
  async send<T>(method: string, path: string, json?: object): Promise<T> {
    const headers = {
      'Content-Type': 'application/json',
      'Idempotency-Key': randomUUID(),
      ...(this.token && { Authorization: `Bearer ${this.token}` }),
    };
    const request = { method, headers, body: json && JSON.stringify(json) };
    for (let attempt = 1; ; attempt += 1) {
      const { ok, status, text } = await this.exchange(path, request);
      if (ok) {
        return (text === '' ? undefined : JSON.parse(text)) as T;
      }
      if (attempt === ATTEMPTS || ![503, 504].includes(status)) {
        throw new CommandFailed(`${method} ${path} was answered ${status}: ${text}`);
      }
      await sleep(1_000);
    }
  }

  private async exchange(path: string, request: RequestInit) {
    const response = await fetch(this.url + path, request).catch(() => {
      throw new CommandFailed(
        `A service has the database, but none answers at ${this.url}: set HOST and PORT as that service has them.`,
      );
    });
    return { ok: response.ok, status: response.status, text: await response.text() };
  }
}

/** Where the service listens, as seen from this machine. */
function addressOf({ host, port }: Config): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
