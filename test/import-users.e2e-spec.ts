import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommandLine } from '../src/commands';
import { Progress } from '../src/commands';
import { startApp } from './support/start-app';
import { createTestDatabase, type TestDatabase } from './support/test-database';

let folder: string;
let database: TestDatabase;
let told: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pet-user-service-'));
  database = await createTestDatabase();
  told = '';
  const tell = (text: unknown) => void (told += `${String(text)}\n`);
  jest.spyOn(console, 'log').mockImplementation(tell);
  jest.spyOn(console, 'error').mockImplementation(tell);
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => (tell(text), true));
});
afterEach(async () => {
  jest.restoreAllMocks();
  await database.drop();
  rmSync(folder, { recursive: true });
});

async function importUsers(...lines: string[]): Promise<number> {
  const file = join(folder, 'users.ndjson');
  writeFileSync(file, lines.join('\n'));
  const env = { DATABASE_URL: database.url, ARGON2_MEMORY_KIB: '8', ARGON2_TIME_COST: '1', BULK_LIMIT: '3' };
  return runCommandLine(['import-users', file], env);
}

it('creates the users of a file, who can then log in', async () => {
  const names = Array.from({ length: 10 }, (_, n) => `u${n}`);
  expect(await importUsers(...names.map((username) => JSON.stringify({ username, password: 'p' })), '')).toBe(0);
  expect(told).toMatch(/100 % {2}10 users.*10 users are created/s);
  const running = await startApp({}, database);
  await running.http.get('/v2/user/login').query({ username: 'u9', password: 'p' }).expect(200);
  await running.app.close();
});

it('stores what it can, and names the other lines and what is wrong', async () => {
  expect(await importUsers('{"username":"a"}', '{', '{"email":5}', '{"username":"b"}', '[]', '{"username":"c"}')).toBe(
    1,
  );
  expect(told).toMatch(/Line 2: is not JSON/);
  expect(told).toMatch(/Line 3: email must be/);
  expect(told).toMatch(/Line 5: must be an object/);
  expect(told).toMatch(/3 users are created.*3 lines were refused/s);
  told = '';
  expect(await importUsers('{"username":"d"}', '{"username":"c"}')).toBe(1);
  expect(told).toMatch(/Line 2: username is taken.*1 users are created/s);
});

it('says when there is no such file', async () => {
  expect(await runCommandLine(['import-users', join(folder, 'nothing')], {})).toBe(1);
  expect(told).toMatch(/cannot be read/);
});

it('draws a bar with a rate on one line of a terminal', () => {
  let drawn = '';
  const progress = new Progress(200, 'users', { isTTY: true, write: (text: string) => ((drawn += text), true) });
  progress.advance(100, 50);
  progress.end();
  expect(drawn.split('[K')[1]).toMatch(/^\[#{15}-{15}\] 50 % {2}50 users, [\d,]+ a second, \d+ s left\n$/);
});
