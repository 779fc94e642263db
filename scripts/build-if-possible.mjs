// Before `npm start`: builds what is to be served where the means to build are there, and something has changed.
// A production tree (npm prune --omit=dev) has none, and serves what was built before.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = ['src', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'nest-cli.json'];
const BUILT = 'dist/main.js';

const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Of a folder too: it changes when a file in it is removed. */
function latestIn(path) {
  const within = statSync(path).isDirectory() ? readdirSync(path).map((name) => latestIn(join(path, name))) : [];
  return Math.max(changedAt(path), ...within);
}

if (existsSync('src') && existsSync('node_modules/@types/node')) {
  if (changedAt(BUILT) < Math.max(...SOURCES.filter(existsSync).map(latestIn))) {
    console.error('Building, since sources have changed (npm run build) …');
    const { status } = spawnSync('npm', ['run', '--silent', 'build'], { shell: true, stdio: 'inherit' });
    process.exitCode = status ?? 1;
  }
} else if (!existsSync(BUILT)) {
  console.error('Nothing is built, and nothing is here to build it with. Run: npm ci && npm run build');
  process.exitCode = 1;
}
