// npm run test:failover -- --rounds 20 --seed 1
// Three PostgreSQL nodes under Patroni, three processes of the built service, 32 clients, and a fault a round.
// All of it runs in a network and a tree of processes of its own: every port is free there, cuts cut nobody else,
// and however this program ends, nothing of it is left. Needs root, and Debian's packages (.ci/failover installs them).
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readOptions } from './options.mjs';

const { keep } = readOptions(process.argv.slice(2));
const missing = ['patroni', 'etcd', 'haproxy', 'iptables'].filter((name) => spawnSync('which', [name]).status !== 0);
if (missing.length > 0) {
  console.error(`Not installed: ${missing.join(', ')}. See .ci/failover, which installs what this needs.`);
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), 'pet-user-service-failover-'));
chmodSync(folder, 0o755);

// The shell is the first process there: it waits for those that lost their parent.
const inside = 'ip link set lo up; "$@"; exit $?';
const run = spawn(
  'setpriv',
  [
    ...['--pdeathsig', 'KILL', 'unshare', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'],
    ...['sh', '-c', inside, 'sh', process.execPath, resolve(import.meta.dirname, 'rounds.mjs'), folder],
    ...process.argv.slice(2),
  ],
  { stdio: 'inherit' },
);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => run.kill('SIGKILL'));
}
run.on('error', ({ message }) => console.error(message));
run.on('close', (code) => {
  process.exitCode = code ?? 1;
  if (keep) {
    console.log(`Kept: ${folder}`);
  } else {
    rmSync(folder, { recursive: true, maxRetries: 5, retryDelay: 200 });
  }
});
