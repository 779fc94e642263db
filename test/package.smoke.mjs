// The packed tarball in a folder of somebody else's: suites of Jest, node:test and vitest start the service.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';

const PROJECT = resolve(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'foreign-'));
after(() => rmSync(folder, { recursive: true }));

const CASES = `
test('starts services side by side, each with its own pets and sessions', async () => {
  const [a, b] = await Promise.all([startService(), startService({ settings: { PET_CREATION: 'token' } })]);
  const { id, name } = await a.aPet({ name: 'Rex' });
  assert.deepEqual([id, name], [1, 'Rex']);
  assert.equal((await b.request('/v1/pet', { json: { name: 'Rex' } })).status, 401);
  const token = await a.logIn(await a.aUser());
  const update = (service) =>
    service.request('/v2/pet', {
      method: 'PUT',
      headers: { Authorization: 'Bearer ' + token },
      json: { id, name: 'Max', photoUrls: [] },
    });
  assert.equal((await update(a)).status, 200);
  assert.equal((await update(b)).status, 401);
  a.clock.pass({ hours: 25 });
  assert.equal((await update(a)).status, 401);
  await Promise.all([a.stop(), b.stop()]);
});
test('is ready soon after the first', async () => {
  const began = performance.now();
  await (await startService()).stop();
  console.log('started and stopped in ' + Math.round(performance.now() - began) + ' ms');
});
`;

before(() => {
  const [{ filename }] = JSON.parse(
    execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
      cwd: PROJECT,
      encoding: 'utf8',
    }).replace(/^[^[]*/, ''),
  );
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, jest: { preset: 'pet-user-service', testMatch: ['**/*.jest.js'] } }),
  );
  execFileSync(
    'npm',
    [
      'install',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
      `./${filename}`,
      'jest@30',
      'vitest@3',
    ],
    { cwd: folder, stdio: 'ignore' },
  );
  // Building the SQLite driver takes a minute, and this project has done it.
  const built = 'node_modules/better-sqlite3/build';
  if (existsSync(join(PROJECT, built))) {
    cpSync(join(PROJECT, built), join(folder, built), { recursive: true });
  }
  const node =
    "const assert = require('node:assert/strict');\nconst { startService } = require('pet-user-service/testing');\n";
  writeFileSync(join(folder, 'service.jest.js'), node + CASES);
  writeFileSync(join(folder, 'service.node.cjs'), `const { test } = require('node:test');\n${node}${CASES}`);
  writeFileSync(
    join(folder, 'service.test.mjs'),
    "import assert from 'node:assert/strict';\nimport { test } from 'vitest';\n" +
      `import { startService } from 'pet-user-service/testing';\n${CASES}`,
  );
});

// A node:test within node:test would run nothing.
const { NODE_TEST_CONTEXT: _, ...env } = process.env;
const run = (command, ...words) => {
  const { status, stdout, stderr } = spawnSync(command, words, {
    cwd: folder,
    encoding: 'utf8',
    timeout: 120_000,
    env,
  });
  assert.equal(status, 0, stdout + stderr);
};

test('Jest, with the preset', () => run('npx', 'jest'));
test('node:test', () => run(process.execPath, '--test', 'service.node.cjs'));
test('vitest', () => run('npx', 'vitest', 'run', 'service.test.mjs'));
test('TypeScript finds the types', () => {
  writeFileSync(
    join(folder, 'typed.ts'),
    "import { startService, type RunningService } from 'pet-user-service/testing';\n" +
      'export const started: Promise<RunningService> = startService({ settings: { BULK_LIMIT: "5" } });\n',
  );
  const tsc = join(PROJECT, 'node_modules/.bin/tsc');
  run(
    tsc,
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--skipLibCheck',
    '--types',
    'node',
    '--typeRoots',
    join(PROJECT, 'node_modules/@types'),
    'typed.ts',
  );
});
