// The first user is made from the command line, also where the service lets nobody create users.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, test } from 'node:test';
import { start, temporaryFolder } from './support/built-service.mjs';

const DATABASE_URL = `sqlite:${temporaryFolder(after)}/first.sqlite`;
const createUser = (username, input) =>
  spawnSync(process.execPath, ['dist/main.js', 'create-user', username], {
    env: { PATH: process.env.PATH, DATABASE_URL },
    input,
    encoding: 'utf8',
  });

test('create-user takes the password from standard input and makes a user who can log in', async () => {
  assert.equal(createUser('tess', 'correct horse\n').status, 0);
  const server = await start({ DATABASE_URL, USER_CREATION: 'closed' });
  const login = await fetch(`${server.url}/v2/user/login?username=tess&password=correct+horse`);
  assert.equal(login.status, 200);
  const closed = await fetch(`${server.url}/v2/user/createWithList`, { method: 'POST' });
  assert.equal(closed.status, 403);
  await server.stop();
});

test('create-user refuses a taken name, an empty password and a name that breaks the rules', () => {
  for (const [username, input, message] of /** @type {[string, string, RegExp][]} */ ([
    ['tess', 'other', /^The username is taken\.\n$/],
    ['tom', '', /password is empty/],
    ['t'.repeat(300), 'other', /^The username must be a string/],
    [' tom', 'other', /^The username must not be one of login, /],
    ['..', 'other', /^The username must not be one of login, /],
  ])) {
    const { status, stderr } = createUser(username, input);
    assert.equal(status, 1);
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, /other|at .*\.js/);
  }
});

test('a start says what stands open to anyone, and its last line is still the address', async () => {
  const openings = async (settings) => {
    const server = await start({ DATABASE_URL, ...settings });
    const lines = server.lines().map(({ level, msg }) => `${level} ${msg}`);
    assert.match(lines.at(-1), /^info Listening on http/);
    await server.stop();
    return lines.filter((line) => line.startsWith('warn'));
  };
  assert.deepEqual(await openings({}), [
    'warn Open to anyone, without a token: PET_CREATION=open, PET_READING=open, USER_CREATION=open',
  ]);
  assert.deepEqual(await openings({ USER_CREATION: 'token' }), [
    'warn Open to anyone, without a token: PET_CREATION=open, PET_READING=open',
  ]);
  assert.deepEqual(await openings({ PET_CREATION: 'closed', PET_READING: 'token', USER_CREATION: 'token' }), []);
  const closed = { PET_CREATION: 'closed', PET_READING: 'token', USER_CREATION: 'token' };
  assert.deepEqual(await openings({ ...closed, POSTGRES_REPLICA_URLS: 'postgres://replica/pets' }), [
    'warn POSTGRES_REPLICA_URLS is set and does nothing: every read goes to the primary now',
  ]);
  assert.deepEqual(await openings({ ...closed, METRICS_PORT: 'tcp://10.0.0.1:9090' }), [
    'warn METRICS_PORT is passed over: Kubernetes has set it, for a service named "metrics"',
  ]);
});
