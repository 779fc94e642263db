// dist/bundle: what a start runs of it, what stacks say, and that it is never another program than its text.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { Script } from 'node:vm';
import { start, temporaryFolder } from './support/built-service.mjs';

const folder = temporaryFolder(after);
const BUNDLE = resolve('dist/bundle/program.js');
const text = readFileSync(BUNDLE, 'latin1');
/** The modules that were run, by the coverage that V8 counts. */
function modulesRun(coverage) {
  const [file] = readdirSync(coverage);
  const { result } = JSON.parse(readFileSync(join(coverage, file), 'utf8'));
  const { functions } = result.find(({ url }) => url === 'program.js');
  return functions
    .filter(({ ranges: [{ count }] }) => count > 0)
    .map(({ ranges: [{ startOffset }] }) => /\["(.*)", "(.*)", $/.exec(text.slice(startOffset - 300, startOffset)))
    .filter((module) => module !== null)
    .map(([, of, name]) => of + name);
}

test('on SQLite, without an issuer, nothing is run that only others need', async () => {
  const coverage = join(folder, 'coverage');
  // ICU among it: without its formats the start would fail if it asked for one.
  const preload = join(folder, 'formats.cjs');
  writeFileSync(
    preload,
    'for (const name of Object.getOwnPropertyNames(Intl)) if (/Format$/.test(name)) delete Intl[name];',
  );
  const settings = { DATABASE_URL: `sqlite:${folder}/pets.sqlite`, NODE_V8_COVERAGE: coverage };
  const service = await start(settings, ['--require', preload]);
  await fetch(`${service.url}/health/live`);
  await service.stop();
  const found = modulesRun(coverage);
  assert.ok(
    found.includes('/dist/database/sqlite/sqlite-unit-of-work.js') && found.length > 1_000,
    String(found.length),
  );
  const needless = /\/node_modules\/(pg|jose|pino-pretty)\/|\/dist\/database\/postgres\//;
  assert.deepEqual(
    found.filter((name) => needless.test(name)),
    [],
  );
});

/** The program in another folder than the one where it was built. */
const tree = join(folder, 'tree');
before(() => {
  cpSync('dist', join(tree, 'dist'), { recursive: true });
  cpSync('package.json', join(tree, 'package.json'));
  symlinkSync(resolve('node_modules'), join(tree, 'node_modules'));
});
const run = (...words) =>
  spawnSync(process.execPath, words, { cwd: tree, env: { PATH: process.env.PATH }, encoding: 'utf8' });

test('a stack names the file and the line in src', () => {
  writeFileSync(
    join(tree, 'preload.cjs'),
    `const fs = require('node:fs');
    const { readFileSync } = fs;
    fs.readFileSync = (file, ...rest) => {
      if (file === ${JSON.stringify(join(tree, 'package.json'))}) throw new Error('planted');
      return readFileSync(file, ...rest);
    };`,
  );
  const { stderr } = run('--require', './preload.cjs', 'dist/main.js', '--version');
  const rows = readFileSync('src/common/version.ts', 'utf8').split('\n');
  const line = rows.findIndex((row) => row.includes('readFileSync(')) + 1;
  assert.match(stderr, /^Error: planted\n/);
  assert.ok(stderr.includes(`at version (${join(tree, 'src/common/version.ts')}:${line})`), stderr);
});

test('the cache fits this Node, and is not used for another text', () => {
  const cachedData = readFileSync(`${BUNDLE}.cache`).subarray(32);
  assert.equal(new Script(text, { cachedData }).cachedDataRejected, false);
  const help = () => run('dist/main.js', '--help').stdout;
  assert.match(help(), /Show the version and end/);
  const changed = text.replace('Show the version and end', 'Show the version and END');
  writeFileSync(join(tree, 'dist/bundle/program.js'), changed);
  assert.match(help(), /Show the version and END/);
});
