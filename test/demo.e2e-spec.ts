import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { runCommandLine } from '../src/commands';
import { captureOutput, type CommandOutput } from './support/command-output';
import { startApp, type RunningApp } from './support/start-app';
import { createTestDatabase, lasting, onPostgres, type TestDatabase } from './support/test-database';

jest.setTimeout(60_000);

let database: TestDatabase;
let output: CommandOutput;
beforeEach(async () => {
  database = await createTestDatabase();
  output = captureOutput();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await database.drop();
});

async function demo(settings: Record<string, string> = {}): Promise<number> {
  Object.assign(output, { told: '', printed: '' });
  const cheap = { ARGON2_MEMORY_KIB: '8', ARGON2_TIME_COST: '1', SQLITE_SYNCHRONOUS: 'NORMAL' };
  return runCommandLine(['demo'], { ...cheap, DATABASE_URL: database.url, ...settings });
}

/** Without their ids: PostgreSQL leaves numbers out after a failure. */
async function petsOf({ http }: RunningApp): Promise<object[]> {
  const { body } = await http.get('/v1/pet?limit=100').expect(200);
  return (body as Record<string, unknown>[]).map(({ name, species, breed }) => ({ name, species, breed }));
}

/** Does the line that was printed, with the port of a service that is running. */
async function doLine({ url }: RunningApp): Promise<unknown> {
  const line = /^ {2}(curl .*)$/m.exec(output.printed)![1]!.replaceAll('http://127.0.0.1:3000', url);
  const { stdout } = await promisify(execFile)('sh', ['-c', line]);
  return JSON.parse(stdout);
}

it('fills an empty database with the same each time, and prints a line that logs in and reads', async () => {
  expect(await demo()).toBe(0);
  expect(output.printed).toMatch(
    /^Created users: 40\.\nCreated pets: 300\.\nOne of the users can log in: ada\.berg, with/,
  );
  const running = await startApp({}, lasting(database));
  const first = await petsOf(running);
  expect(first).toHaveLength(100);
  const own = (await doLine(running)) as { owner_id: string }[];
  expect(own.length).toBeGreaterThan(0);
  const [ada] = await running.query<{ id: number }>(`SELECT id FROM "user" WHERE username = 'ada.berg'`);
  expect(new Set(own.map(({ owner_id }) => owner_id))).toEqual(new Set([String(ada!.id)]));
  const [counted] = await running.query('SELECT count(*) AS users, count(password_hash) AS can FROM "user"');
  expect([Number(counted!.users), Number(counted!.can)]).toEqual([40, 1]);
  await running.stop();
  const password = /the password (\S+)/.exec(output.printed)![1];

  expect(await demo()).toBe(1);
  expect(output.told).toMatch(/^The database is not empty: [^\n]*\n$/);

  await database.drop();
  database = await createTestDatabase();
  expect(await demo()).toBe(0);
  expect(output.printed).not.toContain(password);
  const again = await startApp({}, lasting(database));
  expect(await petsOf(again)).toEqual(first);
  await again.stop();
});

// On PostgreSQL it works beside the service.
(onPostgres ? it.skip : it)('says so when a service has the SQLite file', async () => {
  const running = await startApp({}, lasting(database));
  expect(await demo()).toBe(1);
  expect(output.told).toMatch(/^Another process serves [^\n]*\. Stop it first, [^\n]*\n$/);
  await running.stop();
});
