// Where standard output leads nowhere: a full disk, a pipe that nobody reads or that has lost its reader.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, describe, it, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from './support/built-service.mjs';

const folder = temporaryFolder(after);
const DEADLINE_MS = 3_000;
/** More than the service keeps and a pipe holds. */
const LINES = 5_000;
/** Requests of which each is answered, however many wait. */
const PIPELINE = 100;
let services = 0;

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  return String(port);
}

/** Starts the service with the given outputs, and waits until it answers. */
async function start(output, errorOutput) {
  const env = {
    PATH: process.env.PATH,
    PORT: await freePort(),
    METRICS_PORT: await freePort(),
    DATABASE_URL: `sqlite:${folder}/${services++}.sqlite`,
    SHUTDOWN_DEADLINE_MS: String(DEADLINE_MS),
    LOG_LEVEL: 'debug',
  };
  const server = spawn(process.execPath, ['dist/main.js'], { env, stdio: ['ignore', output, errorOutput] });
  const exited = new Promise((resolve) => server.once('exit', (code, signal) => resolve({ code, signal })));
  after(() => server.kill('SIGKILL'));
  const url = `http://127.0.0.1:${env.PORT}`;
  while (
    !(await fetch(url).then(
      () => true,
      () => false,
    ))
  ) {
    await Promise.race([sleep(20), exited.then(({ code }) => assert.fail(`ended with ${code}`))]);
  }
  return { server, exited, url, metrics: `http://127.0.0.1:${env.METRICS_PORT}/metrics` };
}

/** By as many requests; each makes a line of some 230 characters. */
async function makeLines(url, count = LINES) {
  const pipelines = Array.from({ length: Math.ceil(count / PIPELINE) }, (_, n) => count - n * PIPELINE);
  await Promise.all(pipelines.map((left) => ask(url, Math.min(left, PIPELINE))));
}

/** As many requests in one pipeline. */
async function ask(url, count) {
  const socket = connect(+new URL(url).port, '127.0.0.1').setEncoding('latin1');
  const request = `GET /health/live HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${'a'.repeat(64)}\r\n`;
  socket.write(`${`${request}\r\n`.repeat(count - 1)}${request}Connection: close\r\n\r\n`);
  const answers = await text(socket);
  assert.equal(answers.split('HTTP/1.1 200 OK').length - 1, count);
}

async function dropped(metrics) {
  const numbers = await (await fetch(metrics)).text();
  return Number(/^log_lines_dropped_total (\d+)$/m.exec(numbers)[1]);
}

async function endsInOrder({ server, exited }) {
  const asked = performance.now();
  server.kill('SIGTERM');
  const late = sleep(DEADLINE_MS + 5_000, 'it goes on', { ref: false });
  assert.deepEqual(await Promise.race([exited, late]), { code: 0, signal: null });
  assert.ok(performance.now() - asked < DEADLINE_MS, 'it ends before the deadline');
}

describe('the service', { timeout: 240_000 }, () => {
  const full = openSync('/dev/full', 'w');
  after(() => closeSync(full));

  for (const [name, output, errorOutput] of [
    ['a full disk', full, 'pipe'],
    ['a pipe that nobody reads', 'pipe', 'pipe'],
    ['a full disk, and standard error too', full, full],
  ]) {
    it(`serves on without its log, counts the lines lost and ends in order: ${name}`, async () => {
      const service = await start(output, errorOutput);
      await makeLines(service.url);
      assert.ok((await dropped(service.metrics)) > 0);
      await endsInOrder(service);
    });
  }

  it('keeps none of the lines that it cannot write: each one more is counted as lost', async () => {
    const service = await start(full, 'pipe');
    await makeLines(service.url);
    const lost = await dropped(service.metrics);
    await makeLines(service.url, 2 * LINES);
    assert.equal(await dropped(service.metrics), lost + 2 * LINES);
    await endsInOrder(service);
  });

  it('serves on when the reader of its log has gone', async () => {
    const service = await start('pipe', 'pipe');
    service.server.stdout.destroy();
    service.server.stderr.destroy();
    await makeLines(service.url);
    assert.ok((await dropped(service.metrics)) > 0);
    await endsInOrder(service);
  });

  it('loses no line to a reader that is slow, and says how many it lost to one that was away', async () => {
    const service = await start('pipe', 'pipe');
    await makeLines(service.url, 1_000);
    assert.equal(await dropped(service.metrics), 0);
    await makeLines(service.url);
    const lost = await dropped(service.metrics);
    let log = '';
    service.server.stdout.on('data', (chunk) => (log += chunk));
    const closed = once(service.server, 'close');
    while (!log.includes('Lost lines')) await sleep(20);
    assert.match(log, new RegExp(`blocked\\. Lost lines: ${lost}\\b`));
    await makeLines(service.url, 100);
    await endsInOrder(service);
    await closed;
    const lines = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(lines.filter(({ route }) => route === '/health/live').length, 1_000 + LINES + 100 - lost);
    assert.equal(lines.at(-1).msg, 'Ended');
  });
});

const run = (args, stdio) =>
  spawnSync(process.execPath, ['dist/main.js', ...args], { stdio, encoding: 'utf8', env: {} });

test('a command whose result cannot be written says so and fails', () => {
  const full = openSync('/dev/full', 'w');
  for (const args of [['openapi'], ['--help'], ['check-config']]) {
    const { status, stderr } = run(args, ['ignore', full, 'pipe']);
    assert.equal(status, 1);
    assert.equal(stderr, 'Standard output cannot be written: ENOSPC.\n');
  }
  assert.equal(run(['nope'], ['ignore', full, full]).status, 2);
  closeSync(full);
});

test('a slow reader gets a result whole', async () => {
  const program = spawn(process.execPath, ['dist/main.js', 'openapi'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {},
  });
  await sleep(1_500);
  assert.equal(await text(program.stdout), readFileSync('openapi.json', 'utf8'));
});
