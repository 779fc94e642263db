// `npm run new` in a copy of the project: all checks are green at once, and the built service serves the module.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { json } from '../support/built-service.mjs';
import { scratchCopy } from '../support/scratch-copy.mjs';
import { createDatabase, server } from '../support/server-database.mjs';

const copy = scratchCopy(after);
const bin = (name, args, env) => copy.run(`node_modules/.bin/${name}`, args, env);
const make = (...names) => copy.run(process.execPath, ['-r', '@swc-node/register', 'scripts/new/new.ts', ...names]);

/** The files that it says it wrote. */
let files;
before(() => {
  const { status, said } = make('animal-shelter');
  assert.equal(status, 0, said);
  files = [...said.matchAll(/^ {2}(\S+)$/gm)].map(([, file]) => file);
  assert.equal(files.length, 21, said);
});

test('a name that a module cannot have is refused in a sentence', () => {
  const refused = {
    'animal-shelter': /^There is a module animal-shelter already: src\/animal-shelter\/\.\n$/,
    pet: /^There is a module pet already/,
    class: /^The name class is reserved: JavaScript has another meaning for class\.\n$/,
    map: /^The name map is reserved: JavaScript has another meaning for Map\.\n$/,
    page: /^The name page is taken: the files of a module import something else that is called Page\.\n$/,
    session: /^The name session is taken by test\/session\.e2e-spec\.ts/,
    device: /^The name device is taken: a migration speaks of a table "device"\.\n$/,
    label: /^The name label is taken: openapi\.json has a Label already\.\n$/,
    AnimalShelter: /^"AnimalShelter" is no name for a module: write it in kebab-case/,
    '../shelter': /is no name for a module/,
    ['x'.repeat(41)]: /is too long/,
  };
  for (const [name, sentence] of Object.entries(refused)) {
    const { status, stderr } = make(name);
    assert.equal(status, 1);
    assert.match(stderr, sentence);
  }
  assert.match(make().stderr, /^Say what the module is called, as in: npm run new -- shelter\n$/);
});

test('CONTRIBUTING.md names each file that is made or changed', () => {
  const text = readFileSync(copy.at('CONTRIBUTING.md'), 'utf8');
  const named = files.map((file) =>
    file.replaceAll('animal-shelter', 'shelter').replace(/\d{13}-.*/, '<timestamp>-shelters.ts'),
  );
  // Files of src/shelter/ stand below a heading of that name.
  const unnamed = named.filter((file) => !text.includes(`\`${file.replace('src/shelter/', '')}\``));
  assert.deepEqual(unnamed, []);
});

test('format, lint, types, walls and the picture are green', () => {
  for (const [name, ...args] of [
    ['prettier', '--check', ...files],
    ['eslint', '--max-warnings', '0', ...files.filter((file) => file.endsWith('.ts'))],
    ['tsc', '--noEmit', '-p', '.'],
  ]) {
    const { status, said } = bin(name, args);
    assert.equal(status, 0, said);
  }
  const { status, said } = copy.run('npm', ['run', '--silent', 'walls']);
  assert.equal(status, 0, said);
});

const suites = (names) => [`test/(${names.join('|')})\\.e2e`, '--selectProjects', 'e2e'];

test('the suites are green, and every answer that its operations document is given in one of them', () => {
  const names = ['animal-shelter', 'routes', 'openapi', 'migration', 'every-operation', 'oauth'];
  const { status, said } = bin('jest', suites(names), { ANSWERS_OF: '/v1/animal-shelter' });
  assert.equal(status, 0, said);
  assert.match(said, /Documented answers: [4-9]\d\. Produced by no test: 0/);
});

test('the suites are green on PostgreSQL', { skip: !server }, () => {
  const names = ['animal-shelter', 'migration', 'repeats'];
  const { status, said } = bin('jest', suites(names), { TEST_DATABASE_URL: server });
  assert.equal(status, 0, said);
});

async function walkThrough(DATABASE_URL) {
  const { start } = await import(copy.at('test/support/built-service.mjs'));
  const service = await start({ DATABASE_URL });
  try {
    const call = (path, options) => fetch(service.url + path, options);
    await call('/v2/user', { method: 'POST', ...json({ username: 'tess', password: 'right' }) });
    const token = await (await call('/v2/user/login?username=tess&password=right')).json();
    const own = (method, body = {}) => ({ method, ...json(body, { Authorization: `Bearer ${token}` }) });
    const shelters = '/v1/animal-shelter';
    const made = await call(shelters, own('POST', { name: 'North' }));
    assert.equal(made.status, 201);
    const place = made.headers.get('location');
    assert.equal((await call(place, own('PATCH', { description: 'Open' }))).status, 200);
    const view = Object.assign(await made.json(), { description: 'Open' });
    assert.deepEqual(await (await call(place)).json(), view);
    assert.deepEqual(await (await call(`${shelters}?limit=1`)).json(), [view]);
    assert.equal((await call(shelters, own('POST', { name: 'North' }))).status, 409);
    assert.equal((await call(place, own('DELETE'))).status, 200);
    assert.equal((await call(place)).status, 404);
  } finally {
    await service.stop();
  }
}

test('it can be built', () => {
  const built = copy.run('node_modules/.bin/tsc', ['-p', 'tsconfig.build.json']);
  assert.equal(built.status, 0, built.said);
});

test('the built service serves it on SQLite', () => walkThrough(`sqlite:${copy.at('data.sqlite')}`));

test('the built service serves it on PostgreSQL', { skip: !server }, async () => {
  const { url, drop } = await createDatabase();
  await walkThrough(url).finally(drop);
});
