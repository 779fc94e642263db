// What is deleted or changed is nowhere in SQLite's files soon after, nor in a backup that is made then.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Sqlite } from '../dist/platform/database/sqlite/driver.js';
import { json, start, temporaryFolder } from './support/built-service.mjs';

const folder = temporaryFolder(after);
const settings = { DATABASE_URL: `sqlite:${folder}/served.sqlite` };
const run = (...args) =>
  execFileSync(process.execPath, ['dist/main.js', ...args], { env: { PATH: process.env.PATH, ...settings } });
const holding = (text) => readdirSync(folder).filter((name) => readFileSync(`${folder}/${name}`).includes(text));

test('neither what a user changed nor what was deleted with him, a kept answer too, is in the file, its log or a backup', async () => {
  const service = await start(settings);
  const call = (method, path, body, headers) =>
    fetch(service.url + path, { method, ...(body ? json(body, headers) : { headers }) });
  const user = { username: 'tess', password: 'right' };
  await call('POST', '/v2/user', { ...user, email: 'first-singular@mail.example' }, { 'Idempotency-Key': 'one' });
  const login = await call('POST', '/v2/user/login', user);
  const authorization = { Authorization: `Bearer ${String(await login.json())}` };
  await call('PUT', '/v2/user/tess', { username: 'tess', email: 'second-singular@mail.example' }, authorization);
  assert.ok(holding('first-singular').length > 0 && holding('second-singular').length > 0);

  // Somebody who only reads must not be in the way for longer than he reads.
  const reader = new Sqlite(`${folder}/served.sqlite`, { readonly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM "user"').all();
  assert.equal((await call('DELETE', '/v2/user/tess', undefined, authorization)).status, 200);
  await sleep(25_000);
  assert.notDeepEqual(holding('second-singular'), []);
  assert.equal((await call('POST', '/v1/pet', { name: 'Rex' })).status, 201);
  reader.exec('COMMIT');
  reader.close();

  while (holding('-singular').length > 0) await sleep(500);
  run('backup', `${folder}/copy.sqlite`);
  assert.deepEqual(holding('-singular'), []);
  await service.stop();
});

test('nor is a user whom delete-user deleted', async () => {
  const service = await start(settings);
  await fetch(`${service.url}/v2/user`, {
    method: 'POST',
    ...json({ username: 'tom', email: 'third-singular@mail.example' }),
  });
  service.kill('SIGKILL');
  await service.exited;
  assert.notDeepEqual(holding('third-singular'), []);
  run('delete-user', 'tom');
  assert.deepEqual(holding('third-singular'), []);
});
