// A suite that forgets to stop a service ends all the same, and leaves nothing behind; others are told what to do.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { temporaryFolder } from './support/built-service.mjs';

const folder = temporaryFolder(after);
const TMPDIR = join(folder, 'tmp');
mkdirSync(TMPDIR);
mkdirSync(join(folder, 'node_modules'));
writeFileSync(join(folder, 'package.json'), '{}');
symlinkSync(resolve('.'), join(folder, 'node_modules/pet-user-service'));

const { NODE_TEST_CONTEXT: _, ...env } = process.env;
const run = (program, ...args) =>
  spawnSync(program, args, { cwd: folder, encoding: 'utf8', timeout: 60_000, env: { ...env, TMPDIR } });

const script = (text) =>
  run(process.execPath, '-e', `const { startService } = require('pet-user-service/testing');\n${text}`);
const left = () => readdirSync(TMPDIR).filter((name) => name.startsWith('pet-user-service-'));

test('a process ends that has forgotten to stop its service, and the folder goes with it', () => {
  const { status, signal, stderr } = script(
    'startService().then(({ aPet, logIn }) => Promise.all([aPet(), logIn()]));',
  );
  assert.deepEqual([status, signal, stderr], [0, null, '']);
  assert.deepEqual(left(), []);
});

test('stop ends the service before the process ends', () => {
  const { status, stdout } = script("startService().then(({ stop }) => stop()).then(() => console.log('stopped'));");
  assert.deepEqual([status, stdout], [0, 'stopped\n']);
});

test('what a killed process has left is removed at the next start; what a living one has stays', () => {
  assert.equal(script("startService().then(() => process.kill(process.pid, 'SIGKILL'));").signal, 'SIGKILL');
  assert.equal(left().length, 1);
  const living = left()[0].replace(/-\d+-(\w+)$/, `-${process.pid}-$1`);
  mkdirSync(join(TMPDIR, living));
  assert.equal(script('startService().then(({ stop }) => stop());').status, 0);
  assert.deepEqual(left(), [living]);
});

test('a service is disposed of at the end of its block', () => {
  const { status, stdout } = script(
    'startService().then((service) => service[Symbol.asyncDispose]().then(() => fetch(service.url)))' +
      ".catch(() => console.log('gone'));",
  );
  assert.deepEqual([status, stdout], [0, 'gone\n']);
});

test('Jest without the preset is told to use it', () => {
  writeFileSync(join(folder, 'service.test.js'), "test('x', () => require('pet-user-service/testing'));");
  const { status, stderr } = run(process.execPath, resolve('node_modules/jest/bin/jest.js'), '--rootDir', folder);
  assert.equal(status, 1);
  assert.match(stderr, /set "preset": "pet-user-service"/);
});

for (const options of [
  ['--module', 'nodenext'],
  ['--module', 'commonjs', '--moduleResolution', 'node10', '--ignoreDeprecations', '6.0'],
]) {
  test(`TypeScript finds the types with ${options.join(' ')}`, () => {
    writeFileSync(
      join(folder, 'typed.ts'),
      "import { startService, type RunningService } from 'pet-user-service/testing';\n" +
        'export async function started(): Promise<number> {\n' +
        "  await using service: RunningService = await startService({ settings: { BULK_LIMIT: '5' } });\n" +
        '  return (await service.aPet()).id;\n}\n' +
        '// @ts-expect-error -- no option of this name\nexport const wrong = startService({ setting: {} });\n',
    );
    const { stdout, status } = run(
      resolve('node_modules/.bin/tsc'),
      ...['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--types', 'node'],
      ...['--typeRoots', resolve('node_modules/@types'), '--preserveSymlinks', ...options, 'typed.ts'],
    );
    assert.equal(status, 0, stdout);
  });
}
