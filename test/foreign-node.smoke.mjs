// A Node that the program does not run on, or another than its packages were installed with: one sentence, no stack.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { temporaryFolder } from './support/built-service.mjs';
import { createDatabase, server } from './support/server-database.mjs';

const folder = temporaryFolder(after);
const run = (tree, database, nodeArguments = []) =>
  spawnSync(process.execPath, [...nodeArguments, join(tree, 'dist/main.js'), 'migrate'], {
    env: { PATH: process.env.PATH, DATABASE_URL: database },
    encoding: 'utf8',
  });
const onSqlite = `sqlite:${folder}/pets.sqlite`;

function saysInOneSentence({ status, stderr }, sentence) {
  assert.equal(status, 1);
  assert.match(stderr, sentence);
  assert.equal(stderr.trim().split('\n').length, 1, stderr);
}

/** The built program, with all packages but those named. */
function treeWithout(name, ...packages) {
  const tree = join(folder, name);
  cpSync('dist', join(tree, 'dist'), { recursive: true });
  cpSync('package.json', join(tree, 'package.json'));
  mkdirSync(join(tree, 'node_modules'));
  for (const entry of readdirSync('node_modules').filter((found) => !packages.includes(found))) {
    symlinkSync(resolve('node_modules', entry), join(tree, 'node_modules', entry));
  }
  return tree;
}

test('a Node that cannot require() ES modules is told which can', () => {
  saysInOneSentence(run('.', onSqlite, ['--no-experimental-require-module']), /needs Node 20\.19, or 22\.12 or newer/);
});

test('a package that is missing is named, with what to do', () => {
  saysInOneSentence(run(treeWithout('no-argon2', '@node-rs'), onSqlite), /cannot be loaded: .*argon2.* npm ci\.$/m);
});

test('without its driver, SQLite is refused and PostgreSQL served', async (t) => {
  const tree = treeWithout('no-driver', 'better-sqlite3', 'better-sqlite3-napi');
  saysInOneSentence(run(tree, onSqlite), /no SQLite driver for this Node \(v\d.* npm ci\.$/m);
  if (server === undefined) return t.skip('TEST_DATABASE_URL names no PostgreSQL server');
  const database = await createDatabase();
  after(() => database.drop());
  const { status, stderr } = run(tree, database.url);
  assert.equal(status, 0, stderr);
});
