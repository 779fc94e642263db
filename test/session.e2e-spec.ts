import { createHash } from 'node:crypto';
import { Passwords, SessionService } from '../src/auth';
import { SettableClock } from '../src/testing';
import { startApp, type RunningApp } from './support/start-app';
import { createTestDatabase, onPostgres } from './support/test-database';

const clock = new SettableClock();
let running: RunningApp;
beforeAll(async () => {
  running = await startApp({}, undefined, clock);
});
beforeEach(async () => {
  clock.pass({ ms: Date.now() - clock.now() });
  await running.empty();
  await running.http
    .post('/v2/user/createWithList')
    .send([
      { username: 'tess', password: 'right' },
      { username: 'tom', password: 'right' },
    ])
    .expect(200);
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => running.stop());

async function logIn(username = 'tess', { http } = running): Promise<string> {
  clock.pass({ ms: 1 });
  const { body } = await http.get('/v2/user/login').query({ username, password: 'right' }).expect(200);
  return body as string;
}

/** Whether a token opens update pet, which then finds no pet. */
async function opens(token: string, { http } = running): Promise<boolean> {
  const body = { id: 1, name: 'x', photoUrls: [] };
  const { status } = await http.put('/v2/pet').set('Authorization', `Bearer ${token}`).send(body);
  expect([401, 404]).toContain(status);
  return status === 404;
}

const rows = () =>
  running.query<{ token_hash: string; last_used_at: number }>('SELECT token_hash, last_used_at FROM session');

it('gives 256 random bits behind a fixed prefix, and stores their SHA-256 only', async () => {
  const token = await logIn();
  expect(token).toMatch(/^pus_[\w-]{43}$/);
  expect(Buffer.from(token.slice(4), 'base64url')).toHaveLength(32);
  expect(await rows()).toMatchObject([{ token_hash: createHash('sha256').update(token).digest('hex') }]);
  expect(await logIn()).not.toBe(token);
});

it('ends a session that is not used for an hour', async () => {
  const token = await logIn();
  clock.pass({ minutes: 59 });
  expect(await opens(token)).toBe(true);
  clock.pass({ minutes: 59 });
  expect(await opens(token)).toBe(true);
  clock.pass({ minutes: 60 });
  expect(await opens(token)).toBe(false);
});

it('ends a session a day after log-in, however much it is used', async () => {
  const token = await logIn();
  for (let n = 0; n < 47; n++) {
    clock.pass({ minutes: 30 });
    expect(await opens(token)).toBe(true);
  }
  clock.pass({ minutes: 30 });
  expect(await opens(token)).toBe(false);
});

it('goes by the ages that the operator sets', async () => {
  const strict = await startApp({ SESSION_MAX_AGE_MINUTES: '10', SESSION_MAX_IDLE_MINUTES: '5' }, undefined, clock);
  await strict.http
    .post('/v2/user/createWithList')
    .send([{ username: 'tess', password: 'right' }])
    .expect(200);
  const token = await logIn('tess', strict);
  clock.pass({ minutes: 5 });
  expect(await opens(token, strict)).toBe(false);
  const used = await logIn('tess', strict);
  for (const open of [true, true, false]) {
    clock.pass({ minutes: 4 });
    expect(await opens(used, strict)).toBe(open);
  }
  await strict.stop();
});

it('writes down the last use at most once a minute', async () => {
  const token = await logIn();
  const lastUse = async () => (await rows())[0]!.last_used_at;
  const begun = await lastUse();
  clock.pass({ seconds: 59 });
  await opens(token);
  expect(await lastUse()).toBe(begun);
  clock.pass({ seconds: 1 });
  await Promise.all(Array.from({ length: 10 }, () => opens(token)));
  expect(await lastUse()).toBe(begun + 60_000);
});

it('lets twenty sessions of a user live side by side; the oldest goes', async () => {
  const tokens: string[] = [];
  for (let n = 0; n < 21; n++) {
    tokens.push(await logIn());
  }
  const other = await logIn('tom');
  expect(await opens(tokens[0]!)).toBe(false);
  expect(await opens(tokens[1]!)).toBe(true);
  expect(await opens(other)).toBe(true);
  await Promise.all(Array.from({ length: 25 }, () => logIn()));
  expect(await rows()).toHaveLength(20 + 1);
});

it('sweeps a hundred expired sessions at every tenth log-in', async () => {
  await logIn();
  const row = (n: number) => `('old${n}', 7, ${n}, 0, ${clock.now() - n})`;
  const old = Array.from({ length: 250 }, (_, n) => row(n)).join();
  await running.database.write((manager) =>
    manager.query(`INSERT INTO session (token_hash, user_id, nth, last_used_at, expires_at) VALUES ${old}`),
  );
  for (const left of [150, 50, 0]) {
    for (let n = 0; n < 10; n++) {
      await logIn();
    }
    await running.app.get(SessionService, { strict: false }).swept;
    expect((await rows()).filter(({ token_hash }) => token_hash.startsWith('old'))).toHaveLength(left);
  }
});

/** As for a new password and a deletion: changes the user's row, then ends the sessions. */
const endAll = (username: string, exceptToken?: string) =>
  running.database.write(async (manager) => {
    await manager.query(`UPDATE "user" SET password_hash = 'other' WHERE username = '${username}'`);
    const [{ id }] = await manager.query<[{ id: number }]>(`SELECT id FROM "user" WHERE username = '${username}'`);
    await running.app.get(SessionService, { strict: false }).endAll(id, exceptToken);
  });

it("ends all of a user's sessions at once, but for the one that is spared", async () => {
  const [spared, ended, toms] = [await logIn(), await logIn(), await logIn('tom')];
  await endAll('tess', spared);
  expect([await opens(spared), await opens(ended), await opens(toms)]).toEqual([true, false, true]);
  await endAll('tess');
  expect([await opens(spared), await opens(toms)]).toEqual([false, true]);
});

it('begins no session with a password that was changed while it was being checked', async () => {
  const passwords = running.app.get(Passwords, { strict: false });
  const verify = passwords.verify.bind(passwords);
  jest.spyOn(passwords, 'verify').mockImplementation(async (...asked) => {
    const kept = await verify(...asked);
    await endAll('tess');
    return kept;
  });
  const { status } = await running.http.get('/v2/user/login').query({ username: 'tess', password: 'right' });
  expect(status).toBe(401);
  expect(await rows()).toEqual([]);
});

(onPostgres ? it : it.skip)('ends a session in every process from the next request on', async () => {
  const database = await createTestDatabase();
  const lasting = { ...database, drop: () => Promise.resolve() };
  const [first, second] = [await startApp({}, lasting, clock), await startApp({}, lasting, clock)];
  await first.http
    .post('/v2/user/createWithList')
    .send([{ username: 'tess', password: 'right' }])
    .expect(200);
  const token = await logIn('tess', first);
  expect(await opens(token, second)).toBe(true);
  await first.http.get('/v2/user/logout').set('Authorization', `Bearer ${token}`).expect(200);
  expect(await opens(token, second)).toBe(false);
  await first.stop();
  await second.stop();
  await database.drop();
});
