import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { runCommandLine } from '../src/commands';
import { captureOutput, type CommandOutput } from './support/command-output';
import { startApp, tokenFor, type RunningApp } from './support/start-app';
import { createTestDatabase, lasting, type TestDatabase } from './support/test-database';

let folder: string;
let database: TestDatabase;
let output: CommandOutput;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pet-user-service-'));
  database = await createTestDatabase();
  output = captureOutput();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await database.drop();
  rmSync(folder, { recursive: true });
});

function command(...args: string[]): Promise<number> {
  Object.assign(output, { told: '', printed: '' });
  return runCommandLine(args, { DATABASE_URL: database.url, ARGON2_MEMORY_KIB: '8', ARGON2_TIME_COST: '1' });
}

/** With the password on standard input. */
async function commandWith(password: string, ...args: string[]): Promise<number> {
  const input = jest.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([Buffer.from(password)]) as never);
  return command(...args).finally(() => input.mockRestore());
}

const lines = () =>
  output.printed
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

async function whileServing<T>(work: (running: RunningApp) => Promise<T>): Promise<T> {
  const running = await startApp({}, lasting(database));
  try {
    return await work(running);
  } finally {
    await running.stop();
  }
}

const FULL_PET =
  '{"id":9007199254740993,"name":"Max","photoUrls":["https://pets.example/1"],"category":{"id":9223372036854775807},' +
  '"tags":[{"id":1,"name":"calm"},{"name":"calm"}],"status":"sold"}';

/** Some of every sort: as v1 and v2 make them. */
async function fill({ http }: RunningApp): Promise<void> {
  const users = [{ username: 'tess', password: 'right', email: 'tess@mail.example', userStatus: 1 }, { id: 7 }];
  await http.post('/v2/user/createWithList').send(users).expect(200);
  await http
    .post('/v1/pet')
    .send({ name: 'Rex', owner: { id: 'o-1', name: 'Ann' }, species: 'dog' })
    .expect(201);
  await http.post('/v1/pet').send({ name: 'Bea', owner_id: 'o-1', breed: 'Beagle' }).expect(201);
  await http.post('/v2/pet').send({ name: 'Tim', photoUrls: [], tags: [] }).expect(200);
  await http.post('/v2/pet').type('json').send(FULL_PET).expect(200);
}

it('lists users and exports everything beside a running service, hashes only when asked', async () => {
  await whileServing(async (running) => {
    await fill(running);
    expect(await command('list-users')).toBe(0);
    expect(lines()).toEqual([
      { id: 7, canLogIn: false },
      expect.objectContaining({ username: 'tess', email: 'tess@mail.example', canLogIn: true }),
    ]);
    expect(await command('export')).toBe(0);
    expect(lines().map(({ kind }) => kind)).toEqual(['user', 'user', 'pet', 'pet', 'pet', 'pet']);
    expect(output.printed).toContain(FULL_PET.slice(1, FULL_PET.indexOf(',"photoUrls')));
    expect(output.printed).not.toMatch(/argon2|asswordHash/);
    expect(output.told).toBe('');
    expect(await command('export', '--with-hashes')).toBe(0);
    expect(lines()[1]).toMatchObject({ passwordHash: expect.stringMatching(/^\$argon2id\$/) as string });
  });
});

it('imports what was exported, exactly, ids and passwords too', async () => {
  await whileServing(fill);
  await command('export', '--with-hashes');
  const exported = output.printed;
  const file = join(folder, 'all.ndjson');
  writeFileSync(file, exported);
  await database.drop();
  database = await createTestDatabase();
  expect(await command('import-users', file)).toBe(0);
  expect(output.printed).toBe('Created users: 2.\n');
  expect(await command('import-pets', file)).toBe(0);
  expect(output.printed).toBe('Created pets: 4.\n');
  await command('export', '--with-hashes');
  expect(output.printed).toBe(exported);
  await whileServing(async (running) => {
    await running.http.get('/v2/user/login').query({ username: 'tess', password: 'right' }).expect(200);
    const { body } = await running.http.post('/v1/pet').send({ name: 'New' }).expect(201);
    expect(lines().map(({ id }) => id)).not.toContain(body.id);
  });
  expect(await command('import-pets', file)).toBe(1);
  expect(output.told.match(/^Line \d: id is taken$/gm)).toHaveLength(4);
});

it('names the pets that break the rules, and stores the others', async () => {
  const file = join(folder, 'pets.ndjson');
  const bad = [
    '{"name":""}',
    '{"id":0,"name":"a"}',
    '{"name":"b","owner_id":"1","owner":{"id":"2"}}',
    '{"name":"c","tags":5}',
  ];
  writeFileSync(file, bad.join('\n'));
  expect(await command('import-pets', file)).toBe(1);
  expect(output.told).toMatch(/Line 1: name must .*Line 3: owner id must be .*Line 4: tags must /s);
  expect(output.printed).toBe('Created pets: 1.\n');
});

it('sets a password, and ends all sessions of the user', async () => {
  const token = await whileServing((running) => tokenFor(running));
  expect(await commandWith('other\n', 'set-password', 'tess')).toBe(0);
  await whileServing(async ({ http }) => {
    await http.put('/v2/pet').set('Authorization', `Bearer ${token}`).send({}).expect(401);
    await http.get('/v2/user/login').query({ username: 'tess', password: 'right' }).expect(401);
    await http.get('/v2/user/login').query({ username: 'tess', password: 'other' }).expect(200);
  });
  expect(await commandWith('other\n', 'set-password', 'nobody')).toBe(1);
  expect(output.told).toBe('There is no user of this name.\n');
  expect(await commandWith('p'.repeat(2_000), 'set-password', 'tess')).toBe(1);
  expect(output.told).toMatch(/^The password must [^\n]*\.\n$/);
});

it('deletes a user, whose name is free then, and whose sessions have ended', async () => {
  const token = await whileServing((running) => tokenFor(running));
  expect(await command('delete-user', 'tess')).toBe(0);
  expect(await command('delete-user', 'tess')).toBe(1);
  expect(output.told).toBe('There is no user of this name.\n');
  await whileServing(async (running) => {
    await running.http.put('/v2/pet').set('Authorization', `Bearer ${token}`).send({}).expect(401);
    await tokenFor(running, 'tess', 'anew');
  });
});

it.each([
  ['not UTF-8', Buffer.from([0x61, 0xff, 0x0a]), 'The password is not UTF-8.\n'],
  ['endless', Buffer.alloc(1_000_000, 'a'), 'The password is longer than 65536 bytes.\n'],
  ['empty', Buffer.from('\n'), 'The password is empty.\n'],
  ['of two lines', Buffer.from('right\nright\n'), 'The password is one line, but standard input has several.\n'],
])('refuses a password that is %s', async (_, input, sentence) => {
  expect(await commandWith(input as never, 'create-user', 'tess')).toBe(1);
  expect(output.told).toBe(sentence);
});

it('takes no byte order mark for a part of the password, and no replacement for a name', async () => {
  expect(await commandWith('\ufeffright\r\n', 'create-user', 'tess')).toBe(0);
  await whileServing(({ http }) =>
    http.get('/v2/user/login').query({ username: 'tess', password: 'right' }).expect(200),
  );
  expect(await commandWith('right', 'create-user', 'te\ufffds')).toBe(1);
  expect(output.told).toBe('The name is not UTF-8.\n');
});

it('reads no database of another schema, and makes none', async () => {
  expect(await command('list-users')).toBe(1);
  expect(output.told).toMatch(/^The database (that DATABASE_URL names cannot be used|has another schema)[^\n]+\n$/);
});

it.each([
  ['a taken name', 'tess', 'The username is taken.\n'],
  ['a name that breaks the rules', 't'.repeat(300), /^The username must be a string [^\n/]*\.\n$/],
])('says in a sentence what is wrong with %s', async (_, username, sentence) => {
  await commandWith('right', 'create-user', 'tess');
  expect(await commandWith('right', 'create-user', username)).toBe(1);
  expect(output.told).toEqual(sentence instanceof RegExp ? expect.stringMatching(sentence) : sentence);
});

it('shows a terminal no character that it would obey, and anything else all of them', async () => {
  const email = 'a\u007f\u0085\u009b31m\u202etxt\u2066';
  await whileServing(({ http }) => http.post('/v2/user').send({ email }).expect(200));
  expect(await command('list-users')).toBe(0);
  expect(output.printed).toContain(email);
  const isTTY = Object.getOwnPropertyDescriptor(process.stdout, 'isTTY');
  Object.defineProperty(process.stdout, 'isTTY', { value: true, configurable: true });
  try {
    for (const args of [['list-users'], ['export']]) {
      expect(await command(...args)).toBe(0);
      expect(output.printed).toContain('a\\u007f\\u0085\\u009b31m\\u202etxt\\u2066');
      expect(lines()[0]).toMatchObject({ email });
    }
  } finally {
    Object.defineProperty(process.stdout, 'isTTY', isTTY ?? { value: undefined, configurable: true });
  }
});
