import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hash } from '@node-rs/argon2';
import { runCommandLine } from '../src/commands';
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
  jest.spyOn(console, 'error').mockImplementation(tell);
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => (tell(text), true));
  jest.spyOn(process.stdout, 'write').mockImplementation((text, written) => {
    tell(text);
    (written as unknown as () => void)();
    return true;
  });
});
afterEach(async () => {
  jest.restoreAllMocks();
  await database.drop();
  rmSync(folder, { recursive: true });
});

function importFile(content: string | Buffer, settings = {}): Promise<number> {
  const file = join(folder, 'users.ndjson');
  writeFileSync(file, content);
  const env = { DATABASE_URL: database.url, ARGON2_MEMORY_KIB: '8', ARGON2_TIME_COST: '1', BULK_LIMIT: '3' };
  return runCommandLine(['import-users', file], { ...env, ...settings });
}

const importUsers = (...lines: string[]) => importFile(lines.join('\n'));

it('creates the users of a file, who can then log in', async () => {
  const names = Array.from({ length: 10 }, (_, n) => `u${n}`);
  expect(await importUsers(...names.map((username) => JSON.stringify({ username, password: 'p' })), '')).toBe(0);
  expect(told).toBe('Created users: 10.\n\n');
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
  expect(told).toMatch(/Created users: 3.*Refused lines: 3/s);
  told = '';
  expect(await importUsers('{"username":"d"}', '{"username":"c"}', '{"username":"e\\u200b"}')).toBe(1);
  expect(told).toMatch(/Line 2: username is taken.*Created users: 1/s);
  expect(told).toMatch(/Line 3: username must not be one of login, .* or begin or end with white space/);
});

it('says when there is no such file', async () => {
  expect(await runCommandLine(['import-users', join(folder, 'nothing')], {})).toBe(1);
  expect(told).toMatch(/cannot be read: no such file or directory\.$/m);
  expect(await runCommandLine(['import-users', folder], { DATABASE_URL: database.url })).toBe(1);
  expect(told).toMatch(/cannot be read: it is a folder\.$/m);
});

it('refuses what is not UTF-8 by its line, and passes over a byte order mark', async () => {
  const bad = Buffer.concat([Buffer.from('{"username":"b'), Buffer.from([0xff]), Buffer.from('"}\r\n')]);
  const file = Buffer.concat([Buffer.from('\ufeff{"username":"a"}\r\n'), bad, Buffer.from('{"username":"ä"}')]);
  expect(await importFile(file)).toBe(1);
  expect(told).toMatch(/^Line 2: is not UTF-8$/m);
  expect(told).toMatch(/Created users: 2/);
});

it('holds no more of a line than a body may have', async () => {
  const long = `{"username":"${'b'.repeat(200_000)}"}`;
  const lines = ['{"username":"a"}', long, '{"username":"c"}'].join('\n');
  expect(await importFile(lines, { BODY_LIMIT_BYTES: '2000' })).toBe(1);
  expect(told).toMatch(/^Line 2: is longer than 2000 bytes$/m);
  expect(told).toMatch(/Created users: 2/);
});

it.each([
  [1, 'side by side'],
  [3, 'in another batch'],
])('stores the first of two that share a name or an id, %i lines apart (%s)', async (apart) => {
  const between = Array.from({ length: apart - 1 }, (_, n) => `{"username":"u${n}"}`);
  const twins = ['{"id":5,"username":"a"}', ...between, '{"id":5,"username":"b"}', ...between, '{"username":"a"}'];
  await importUsers(...twins);
  expect(told).toMatch(new RegExp(`^Line ${apart + 1}: id is taken$`, 'm'));
  expect(told).toMatch(/: username is taken$/m);
  expect(told.match(/is taken/g)).toHaveLength(2 + between.length);
});

it('stores the second of two that share a name when the first is refused', async () => {
  expect(await importUsers('{"username":"a","email":5}', '{"username":"a"}', '{"username":"a"}')).toBe(1);
  expect(told).toMatch(/Line 1: email.*Line 3: username is taken.*Created users: 1/s);
});

it('stores the hash of a password that a line brings, if it is one', async () => {
  const hash = await hashOf('right');
  const line = (members: object) => JSON.stringify(members);
  const lines = [
    line({ id: 7, username: 'tess', passwordHash: hash }),
    line({ username: 'tom', passwordHash: 'right' }),
    line({ username: 'tim', passwordHash: hash, password: 'p' }),
  ];
  expect(await importUsers(...lines)).toBe(1);
  expect(told).toMatch(/^Line 2: passwordHash must be a hash by argon2id of at most 256 MiB, 16 passes and 16 lanes$/m);
  expect(told).toMatch(/^Line 3: passwordHash must not stand beside a password$/m);
  const running = await startApp({}, database);
  await running.http.get('/v2/user/login').query({ username: 'tess', password: 'right' }).expect(200);
  await running.app.close();
});

it.each([
  [0, 'm=262144,t=16,p=16'],
  [1, 'm=262145,t=16,p=16'],
  [1, 'm=262144,t=17,p=16'],
  [1, 'm=262144,t=16,p=17'],
  [1, 'm=9999999999,t=1,p=1'],
  [1, 'm=7,t=1,p=1'],
  [1, 'm=8,t=0,p=1'],
])('ends with %i for a hash by %s', async (exitCode, cost) => {
  const passwordHash = `$argon2id$v=19$${cost}$c29tZXNhbHRzb21l$c29tZWhhc2hzb21laGFzaA`;
  expect(await importUsers(JSON.stringify({ username: 'tess', passwordHash }))).toBe(exitCode);
});

const hashOf = (password: string) => hash(password, { memoryCost: 8, timeCost: 1, parallelism: 1 });

it('finds a few bad lines among many, whatever they share', async () => {
  const lines = Array.from({ length: 700 }, (_, n) => `{"username":"u${n}"}`);
  lines[3] = '{"username":"u1","email":5}';
  lines[699] = '{"username":"u0"}';
  expect(await importFile(lines.join('\n'), { BULK_LIMIT: '1000' })).toBe(1);
  expect(told.match(/^Line \d+: \S+ \S+/gm)).toEqual(['Line 4: email must', 'Line 700: username is']);
  expect(told).toMatch(/Created users: 698/);
});

it('refuses what has no end', async () => {
  expect(await runCommandLine(['import-users', '/dev/zero'], { DATABASE_URL: database.url })).toBe(1);
  expect(told).toMatch(/^\/dev\/zero cannot be read: it is a device or a socket\.$/m);
});
