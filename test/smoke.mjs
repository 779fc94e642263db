// Runs the built service under plain node, as an operator does: the suites run a transcript of it.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { json, start as startBuilt, temporaryFolder } from './support/built-service.mjs';

const folder = temporaryFolder(after);
const start = (settings) => startBuilt({ DATABASE_URL: `sqlite:${folder}/new/smoke.sqlite`, ...settings });

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
