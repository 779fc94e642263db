// Runs the built service under plain node, as an operator does: the suites run a transcript of it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

const folder = mkdtempSync(join(tmpdir(), 'pet-user-service-smoke-'));
after(() => rmSync(folder, { recursive: true }));

/** Starts dist/main.js and waits for the address in the last start line. */
async function start(settings = {}) {
  const server = spawn(process.execPath, ['dist/main.js'], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DRAIN_MS: '0',
      DATABASE_URL: `sqlite:${folder}/new/smoke.sqlite`,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise((resolve) => server.once('close', (code, signal) => resolve({ code, signal })));
  let log = '';
  server.stderr.on('data', (chunk) => (log += chunk));
  const url = await new Promise((resolve, reject) => {
    server.stdout.on('data', (chunk) => {
      log += chunk;
      const address = /Listening on (http:\S+?)"/.exec(log)?.[1];
      if (address) resolve(address);
    });
    void exited.then(({ code }) => reject(new Error(`exited with ${code}: ${log}`)));
  });
  const stop = () => {
    server.kill('SIGTERM');
    return exited;
  };
  return { url, stop, log: () => log };
}

const json = (body, headers = {}) => ({
  headers: { 'Content-Type': 'application/json', ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

test('serves the six operations, and has the data again after a restart', async () => {
  const first = await start();
  const created = await fetch(`${first.url}/v1/pet`, { method: 'POST', ...json({ name: 'Rex', owner_id: 'o-1' }) });
  assert.equal(created.status, 201);
  const { id } = await created.json();
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
  const token = await login.json();
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
