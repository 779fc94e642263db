import { execFile, execFileSync, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Runs in the background, with its output in a file. PostgreSQL and Patroni refuse to run as root. */
export function startProgram(command, args, logFile, isPostgres = false) {
  const log = openSync(logFile, 'a');
  const [program, ...given] = isPostgres ? [...AS_POSTGRES, command, ...args] : [command, ...args];
  return spawn(program, given, { stdio: ['ignore', log, log], detached: true });
}

const AS_POSTGRES = [
  ...['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups'],
  ...['env', '-i', 'PATH=/usr/bin:/bin', 'LANG=C.UTF-8', 'HOME=/var/lib/postgresql'],
];

export const run = promisify(execFile);
export const runNow = execFileSync;

/** Tries until `look` answers something; it may throw meanwhile. */
export async function until(what, seconds, look) {
  const end = performance.now() + seconds * 1_000;
  let last;
  while (performance.now() < end) {
    try {
      const found = await look();
      if (found) {
        return found;
      }
    } catch (error) {
      last = error;
    }
    await sleep(100);
  }
  throw new Error(`After ${seconds} s still not: ${what}.`, { cause: last });
}
