// Before `npm start`: builds what is to be served where the means to build are there. A production tree
// (npm prune --omit=dev) has none, and serves what was built before.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

if (existsSync('src') && existsSync('node_modules/@types/node')) {
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { shell: true, stdio: 'inherit' });
  process.exitCode = status ?? 1;
} else if (!existsSync('dist/main.js')) {
  console.error('Nothing is built, and nothing is here to build it with. Run: npm ci && npm run build');
  process.exitCode = 1;
}
