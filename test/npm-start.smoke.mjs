// `npm start`, as people and supervisors use it: on a tree that was pruned, and until SIGTERM.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { temporaryFolder } from './support/built-service.mjs';

const folder = temporaryFolder(after);
const tree = join(folder, 'tree');

/** A copy as `npm prune --omit=dev` leaves it, with nothing in it that could build. */
before(() => {
  for (const part of ['package.json', 'dist', 'src', 'scripts']) {
    cpSync(part, join(tree, part), { recursive: true });
  }
  const kept = execFileSync('npm', ['ls', '--omit=dev', '--all', '--parseable'], { encoding: 'utf8' });
  const packages = kept
    .trim()
    .split('\n')
    .map((path) => relative('node_modules', path));
  for (const name of packages.filter((path) => !path.startsWith('..') && !path.includes('node_modules'))) {
    const link = join(tree, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(resolve('node_modules', name), link);
  }
});

function npmStart(words = ['start']) {
  const npm = spawn('npm', words, {
    cwd: tree,
    env: { PATH: process.env.PATH, HOME: folder, PORT: '0', DATABASE_URL: `sqlite:${folder}/pets.sqlite` },
    detached: true,
  });
  after(() => killGroup(npm.pid));
  let log = '';
  npm.stdout.on('data', (chunk) => (log += chunk));
  npm.stderr.on('data', (chunk) => (log += chunk));
  return { npm, closed: once(npm, 'close'), log: () => log };
}

function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

for (const [name, ...words] of [
  ['npm start', 'start'],
  ['npx', 'exec', '-c', 'node dist/main.js'],
]) {
  test(`${name} serves what is built, and SIGTERM to it ends the service in order`, { timeout: 60_000 }, () =>
    servesAndEnds(words, name === 'npx'),
  );
}

async function servesAndEnds(words, isEndedBySignal) {
  const { npm, closed, log } = npmStart(words);
  while (!log().includes('Listening on')) {
    await Promise.race([
      once(npm.stdout, 'data'),
      closed.then(([code]) => assert.fail(`ended with ${code}: ${log()}`)),
    ]);
  }
  npm.kill('SIGTERM');
  // Closed only when nobody holds its output any more: no service goes on behind npm's back.
  const [code] = await closed;
  assert.ok(code === 0 || isEndedBySignal, String(code));
  assert.match(log(), /"Ended"/);
}

test('npm start says in a sentence when nothing is built', { timeout: 60_000 }, async () => {
  rmSync(join(tree, 'dist'), { recursive: true });
  const { closed, log } = npmStart();
  assert.equal((await closed)[0], 1);
  assert.match(log(), /^Nothing is built, .* npm run build$/m);
  assert.doesNotMatch(log(), /^ +at /m);
});
