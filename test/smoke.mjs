// Runs the built service under plain node, as an operator does: the suites run a transcript of it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { json, start as startBuilt, temporaryFolder } from './support/built-service.mjs';

const folder = temporaryFolder(after);
const start = (settings) => startBuilt({ DATABASE_URL: `sqlite:${folder}/new/smoke.sqlite`, ...settings });

test('serves the six operations, and has the data again after a restart', async () => {
  const first = await start();
  const created = await fetch(`${first.url}/v1/pet`, { method: 'POST', ...json({ name: 'Rex', owner_id: 'o-1' }) });
  assert.equal(created.status, 201);
  const { id } = /** @type {{ id: number }} */ (await created.json());
  for (const [path, body] of [
    ['createWithList', '[{"id":9223372036854775807,"username":"tess","password":"right"}]'],
    ['createWithArray', '[{"username":"tom"}]'],
  ]) {
    const bulk = await fetch(`${first.url}/v2/user/${path}`, { method: 'POST', ...json(body) });
    assert.deepEqual([bulk.status, await bulk.text()], [200, '']);
  }
  await first.stop();

  const second = await start();
  const login = await fetch(`${second.url}/v2/user/login?username=tess&password=right`);
  assert.equal(login.status, 200);
  const token = String(await login.json());
  const authorization = { Authorization: `Bearer ${token}` };
  const update = () =>
    fetch(`${second.url}/v2/pet`, { method: 'PUT', ...json({ id, name: 'Max', photoUrls: [] }, authorization) });
  assert.equal((await update()).status, 200);
  assert.equal((await fetch(`${second.url}/v2/user/logout`, { headers: authorization })).status, 200);
  assert.equal((await update()).status, 401);
  const again = await fetch(`${second.url}/v2/user/createWithList`, {
    method: 'POST',
    ...json([{ username: 'tess' }]),
  });
  assert.equal(again.status, 409);
  await second.stop();
  assert.ok(!second.log().includes('right') && !second.log().includes(token));
});

test('refuses bad settings by name, without their values', async () => {
  await assert.rejects(start({ PORT: 'canary', LOG_LEVEL: 'canary' }), ({ message }) => {
    assert.match(message, /exited with 1[^]*PORT[^]*LOG_LEVEL/);
    assert.doesNotMatch(message, /canary/);
    return true;
  });
});

test('logs a line a request, by its route and never by its URL', async () => {
  const service = await start();
  await fetch(`${service.url}/v2/user/login?username=tess&password=canary`, { headers: { 'X-Request-Id': 'login-1' } });
  await service.stop();
  assert.doesNotMatch(service.log(), /canary|tess/);
  const [line] = service.lines().filter(({ requestId }) => requestId === 'login-1');
  assert.deepEqual([line.level, line.method, line.route, line.status], ['info', 'GET', '/v2/user/login', 401]);
  assert.ok(line.ms > 0);
});

test('says where it listens: the address as it is, IPv6 in brackets', async () => {
  for (const [host, shown] of [
    ['0.0.0.0', 'http://0.0.0.0:'],
    ['::1', 'http://[::1]:'],
    ['[::1]', 'http://[::1]:'],
    ['127.0.0.1', 'http://127.0.0.1:'],
  ]) {
    const service = await start({ HOST: host, METRICS_HOST: host, METRICS_PORT: '0' });
    assert.ok(service.url.startsWith(shown), service.url);
    assert.ok(service.log().includes(`Metrics on ${shown}`), service.log());
    assert.equal((await fetch(`${service.url}/health/live`)).status, 200);
    await service.stop();
  }
});

test('says that it makes a database, once', async () => {
  const settings = { DATABASE_URL: `sqlite:${folder}/made.sqlite` };
  for (const times of [1, 0]) {
    const service = await start(settings);
    await service.stop();
    assert.equal(service.log().split('Made a new database').length - 1, times);
  }
});

test('serves metrics on a port of their own, and only where told to', async () => {
  const closed = await start();
  assert.equal((await fetch(`${closed.url}/metrics`)).status, 404);
  assert.doesNotMatch(closed.log(), /Metrics on/);
  await closed.stop();
  const service = await start({ METRICS_PORT: '0' });
  const url = /Metrics on (http:\S+?)"/.exec(service.log())[1];
  await fetch(`${service.url}/v1/pet`, { method: 'POST', ...json({ name: 'Rex' }) });
  const text = await (await fetch(url)).text();
  assert.match(text, /http_request_duration_seconds_count{method="POST",route="\/v1\/pet",status="201"} 1/);
  assert.match(text, /nodejs_eventloop_lag_p99_seconds \d/);
  assert.equal((await fetch(`${service.url}/metrics`)).status, 404);
  assert.equal((await fetch(new URL('/', url))).status, 404);
  const head = await fetch(url, { method: 'HEAD' });
  assert.deepEqual([head.status, head.headers.get('content-type')], [200, 'text/plain; version=0.0.4; charset=utf-8']);
  assert.equal(await head.text(), '');
  await service.stop();
});

test('is not ended, and lets no debugger in, by the signals of tools that rotate logs', async () => {
  const service = await start();
  for (const signal of /** @type {NodeJS.Signals[]} */ (['SIGUSR1', 'SIGUSR2'])) {
    service.kill(signal);
    await sleep(300);
    assert.equal((await fetch(`${service.url}/health/live`)).status, 200);
  }
  assert.deepEqual(await service.stop(), { code: 0, signal: null });
  assert.doesNotMatch(service.log(), /Debugger/);
});

test('logs for people in a terminal, and JSON there too where told to', async () => {
  for (const [LOG_FORMAT, isJson] of /** @type {[string, boolean][]} */ ([
    ['auto', false],
    ['json', true],
  ])) {
    const file = `${folder}/${LOG_FORMAT}.sqlite`;
    const env = { PATH: process.env.PATH, PORT: '0', DATABASE_URL: `sqlite:${file}`, LOG_FORMAT };
    const command = ['-qec', `${process.execPath} dist/main.js`, '/dev/null'];
    const terminal = spawn('script', command, { env, stdio: ['pipe', 'pipe', 'inherit'] });
    let log = '';
    for await (const chunk of terminal.stdout) {
      log += chunk;
      if (/Listening on/.test(log)) {
        terminal.stdin.end('\x03');
      }
    }
    assert.equal(/^\{"level":"info".*Listening on/m.test(log), isJson, log);
  }
});
