// Starts the built service under plain node, as an operator does.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const MAIN = resolve(import.meta.dirname, '../../dist/main.js');

/** A folder that is gone after the test file's last test. */
export function temporaryFolder(after) {
  const folder = mkdtempSync(join(tmpdir(), 'pet-user-service-'));
  after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Runs the program and waits for the address in its log; fails with the log when the program ends before. */
export async function start(settings, nodeArguments = [], main = MAIN) {
  const server = spawn(process.execPath, [...nodeArguments, main], {
    env: { PATH: process.env.PATH, PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise((resolve) => server.once('close', (code, signal) => resolve({ code, signal })));
  // A test that fails may leave it running.
  const killAtExit = () => server.kill('SIGKILL');
  process.once('exit', killAtExit);
  void exited.then(() => process.off('exit', killAtExit));
  let log = '';
  server.stderr.on('data', (chunk) => (log += chunk));
  const url = await new Promise((resolve, reject) => {
    const look = () => {
      const address = /Listening on (http:\S+?)"/.exec(log)?.[1];
      if (address) {
        server.stdout.off('data', look);
        resolve(address);
      }
    };
    server.stdout.on('data', (chunk) => (log += chunk)).on('data', look);
    void exited.then(({ code }) => reject(new Error(`exited with ${code}: ${log}`)));
  });
  return {
    url,
    pid: server.pid,
    exited,
    /** @param {NodeJS.Signals} signal */
    kill: (signal = 'SIGTERM') => server.kill(signal),
    stop: () => {
      server.kill('SIGTERM');
      return exited;
    },
    log: () => log,
    lines: () =>
      log
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line)),
  };
}

export const json = (body, headers = {}) => ({
  headers: { 'Content-Type': 'application/json', ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
