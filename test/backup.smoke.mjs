// Backs up the file of the built service while clients write on, and serves the copy.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { Sqlite } from '../dist/database/sqlite/driver.js';
import { json, start, temporaryFolder } from './support/built-service.mjs';

const folder = temporaryFolder(after);
const settings = { DATABASE_URL: `sqlite:${folder}/served.sqlite` };
const backUp = (target, env = settings) =>
  promisify(execFile)(process.execPath, ['dist/main.js', 'backup', target], {
    env: { PATH: process.env.PATH, ...env },
  });
const rows = (file, sql) => {
  const connection = new Sqlite(file, { readonly: true });
  const found = connection.prepare(sql).all();
  connection.close();
  return found;
};

test('a backup made under load holds what was acknowledged before it began, whole bulks only, and can be served', async () => {
  const service = await start(settings);
  const post = (path, body) => fetch(service.url + path, { method: 'POST', ...json(body) });
  const acknowledged = [];
  let writing = true;
  const write = async (client) => {
    for (let n = 0; writing; n++) {
      const name = `${client}-${n}`;
      const pet = await post('/v1/pet', { name });
      const bulk = await post('/v2/user/createWithList', [{ username: `${name}-a` }, { username: `${name}-b` }]);
      assert.deepEqual([pet.status, bulk.status], [201, 200]);
      acknowledged.push(name);
    }
  };
  const clients = Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(write));
  const until = async (count) => {
    while (acknowledged.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  await until(200);
  const before = [...acknowledged];
  const target = `${folder}/copy.sqlite`;
  await backUp(target);
  await until(acknowledged.length + 50);
  writing = false;
  await clients;
  await service.stop();

  const copied = rows(target, 'SELECT * FROM pet ORDER BY id');
  const names = new Set(copied.map(({ name }) => name));
  assert.deepEqual(
    before.filter((name) => !names.has(name)),
    [],
  );
  assert.deepEqual(copied, rows(`${folder}/served.sqlite`, `SELECT * FROM pet ORDER BY id LIMIT ${copied.length}`));
  const halves = rows(target, 'SELECT count(*) AS n FROM "user" GROUP BY substr(username, 1, length(username) - 2)');
  assert.deepEqual(new Set(halves.map(({ n }) => n)), new Set([2]));
  assert.ok(copied.length < acknowledged.length, 'the load went on');

  const restored = await start({ DATABASE_URL: `sqlite:${target}` });
  const next = await fetch(`${restored.url}/v1/pet`, { method: 'POST', ...json({ name: 'next' }) });
  assert.equal((await next.json()).id, copied.length + 1);
  const taken = await fetch(`${restored.url}/v2/user/createWithList`, {
    method: 'POST',
    ...json([{ username: `${before[0]}-a` }]),
  });
  assert.equal(taken.status, 409);
  await restored.stop();
});

test('a backup overwrites nothing, and says what is wrong', async () => {
  const target = `${folder}/copy.sqlite`;
  await assert.rejects(backUp(target), /No backup was made: .*copy\.sqlite exists already/);
  const missing = { DATABASE_URL: `sqlite:${folder}/missing.sqlite` };
  await assert.rejects(backUp(`${folder}/x`, missing), /No backup was made: unable to open database file/);
  await assert.rejects(backUp(`${folder}/x`, { DATABASE_URL: 'postgres://db/pets' }), /pg_dump/);
  await assert.rejects(backUp(`${folder}/nowhere/x`), /No backup was made: .*directory does not exist/);
  assert.ok(!existsSync(`${folder}/missing.sqlite`) && !existsSync(`${folder}/x`));
});
