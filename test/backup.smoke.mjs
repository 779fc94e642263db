// Backs up the file of the built service while clients write on, serves the copy, and restores it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { Sqlite } from '../dist/platform/database/sqlite/driver.js';
import { json, start, temporaryFolder } from './support/built-service.mjs';

const folder = temporaryFolder(after);
const settings = { DATABASE_URL: `sqlite:${folder}/served.sqlite` };
const run = (command, file, env) =>
  promisify(execFile)(process.execPath, ['dist/main.js', command, file], { env: { PATH: process.env.PATH, ...env } });
const backUp = (target, env = settings) => run('backup', target, env);
const restore = (backup, env) => run('restore', backup, env);
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
  const { id } = /** @type {{ id: number }} */ (await next.json());
  assert.equal(id, copied.length + 1);
  const taken = await fetch(`${restored.url}/v2/user/createWithList`, {
    method: 'POST',
    ...json([{ username: `${before[0]}-a` }]),
  });
  assert.equal(taken.status, 409);
  await restored.stop();
});

test('a backup overwrites nothing, and says what is wrong', async () => {
  const target = `${folder}/copy.sqlite`;
  await assert.rejects(backUp(target), /No backup was made: .*copy\.sqlite exists already\.\n/);
  const missing = { DATABASE_URL: `sqlite:${folder}/missing.sqlite` };
  await assert.rejects(
    backUp(`${folder}/x`, missing),
    /No backup was made: there is no database .*missing\.sqlite\.\n/,
  );
  await assert.rejects(backUp(`${folder}/x`, { DATABASE_URL: 'postgres://db/pets' }), /pg_dump/);
  await assert.rejects(backUp(`${folder}/nowhere/x`), /No backup was made: there is no folder .*nowhere\.\n/);
  assert.ok(!existsSync(`${folder}/missing.sqlite`) && !existsSync(`${folder}/x`));
});

test('a backup is for its user alone, follows no link, and minds no part that an earlier one left', async () => {
  const other = `${folder}/other`;
  writeFileSync(other, 'of somebody else');
  const target = `${folder}/linked.sqlite`;
  symlinkSync(other, target);
  symlinkSync(other, `${folder}/fresh.sqlite.part`);
  await assert.rejects(backUp(target), /exists already/);
  await backUp(`${folder}/fresh.sqlite`);
  assert.equal(statSync(`${folder}/fresh.sqlite`).mode & 0o777, 0o600);
  assert.equal(readFileSync(other, 'utf8'), 'of somebody else');
});

test('of three backups to one name at once one is made, and the others say so', async () => {
  const target = `${folder}/three.sqlite`;
  const made = await Promise.allSettled([1, 2, 3].map(() => backUp(target)));
  const failed = made.filter((run) => run.status === 'rejected');
  const done = made.filter((run) => run.status === 'fulfilled');
  assert.equal(done.length, 1);
  for (const { reason } of failed) {
    assert.match(reason.stderr, /^No backup was made: .*three\.sqlite exists already\.\n$/);
  }
  assert.ok(rows(target, 'SELECT 1 FROM pet').length > 0);
  assert.deepEqual(
    readdirSync(folder).filter((name) => /\.part./.test(name) || /three\.sqlite./.test(name)),
    [],
  );
});

test('restore puts a backup in the place of the database, and nothing of the old one comes back', async () => {
  const file = `${folder}/restored.sqlite`;
  const own = { DATABASE_URL: `sqlite:${file}` };
  const create = ({ url }, name) => fetch(`${url}/v1/pet`, { method: 'POST', ...json({ name }) });
  const names = () => rows(file, 'SELECT name FROM pet').map(({ name }) => name);
  const first = await start(own);
  await create(first, 'kept');
  const backup = `${folder}/kept.sqlite`;
  await backUp(backup, own);
  await create(first, 'undone');
  await assert.rejects(restore(backup, own), /Nothing was restored: Another process serves .*restored\.sqlite/);
  await create(first, 'undone too');
  first.kill('SIGKILL');
  await first.exited;
  assert.ok(statSync(`${file}-wal`).size > 0, 'the log of the killed service is left');
  chmodSync(backup, 0o644);

  const { stdout } = await restore(backup, own);
  assert.match(stdout, /restored\.sqlite holds what .*kept\.sqlite does\.\n$/);
  assert.deepEqual(names(), ['kept']);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const second = await start(own);
  assert.equal((await create(second, 'next')).status, 201);
  await second.stop();
  assert.deepEqual(names(), ['kept', 'next']);

  writeFileSync(file, 'damaged');
  await restore(backup, own);
  assert.deepEqual(names(), ['kept']);
  await restore(backup, { DATABASE_URL: `sqlite:${folder}/elsewhere/new.sqlite` });
  assert.equal(rows(`${folder}/elsewhere/new.sqlite`, 'SELECT name FROM pet').length, 1);
});

test('restore removes what a restore that was killed has left, and nothing else', async () => {
  const place = `${folder}/left/restored.sqlite`;
  await restore(`${folder}/kept.sqlite`, { DATABASE_URL: `sqlite:${place}` });
  const others = [`${place}.old.part`, `${folder}/left/other.sqlite.0123456789abcdef.part`];
  [...others, `${place}.0123456789abcdef.part`].forEach((name) => writeFileSync(name, 'left'));
  await restore(`${folder}/kept.sqlite`, { DATABASE_URL: `sqlite:${place}` });
  assert.deepEqual(
    readdirSync(`${folder}/left`)
      .filter((name) => name.endsWith('.part'))
      .sort(),
    others.map((name) => name.slice(folder.length + 6)).sort(),
  );
});

test('restore leaves the database as it is when the backup is not one, and says so', async () => {
  const file = `${folder}/restored.sqlite`;
  const own = { DATABASE_URL: `sqlite:${file}` };
  const before = readFileSync(file);
  const bad = (name, content) => {
    writeFileSync(`${folder}/${name}`, content);
    return `${folder}/${name}`;
  };
  const foreign = new Sqlite(`${folder}/foreign.sqlite`);
  foreign.exec('CREATE TABLE pet (id integer)');
  foreign.close();
  const newer = `${folder}/newer.sqlite`;
  copyFileSync(file, newer);
  const connection = new Sqlite(newer);
  connection.exec(`INSERT INTO migrations (timestamp, name) VALUES (9999999999999, 'Future9999999999999')`);
  connection.close();
  const damaged = readFileSync(file);
  damaged.fill(0xff, damaged.length - 4096 * 3);
  const changed = (name, sql) => {
    copyFileSync(file, `${folder}/${name}`);
    const copy = new Sqlite(`${folder}/${name}`);
    copy.exec(sql);
    copy.close();
    return `${folder}/${name}`;
  };
  const hash = '$argon2id$v=19$m=4194304,t=1000,p=1$c29tZXNhbHRzb21l$c29tZWhhc2hzb21laGFzaA';
  for (const [backup, reason] of /** @type {[string, RegExp][]} */ ([
    [changed('acting', 'CREATE TRIGGER act AFTER INSERT ON pet BEGIN DELETE FROM "user"; END'), /has the trigger act/],
    [changed('view', 'ALTER TABLE pet RENAME TO hidden; CREATE VIEW pet AS SELECT * FROM hidden'), /has the view pet/],
    [changed('fewer', 'DROP TABLE session'), /lacks the column session\./],
    [changed('narrow', 'ALTER TABLE pet DROP COLUMN photo_urls'), /lacks the column pet\.photo_urls/],
    [
      changed('costly', `INSERT INTO "user" (version, id, password_hash) VALUES (1, 7, '${hash}')`),
      /password of user 7 is no hash by/,
    ],
    ['/dev/null', /is no file/],
    [`${folder}/nothing`, /there is no .*nothing/],
    [folder, /is a folder/],
    [bad('text', 'no database '.repeat(100)), /is not a SQLite database/],
    [bad('empty', ''), /holds no database of this service/],
    [`${folder}/foreign.sqlite`, /holds no database of this service/],
    [newer, /newer version of this program, which added Future9999999999999/],
    [bad('damaged', damaged), /damaged|malformed/],
    [file, /is the database itself/],
  ])) {
    await assert.rejects(restore(backup, own), ({ stderr }) => {
      assert.match(stderr, /^Nothing was restored: .*\.\n$/s);
      assert.match(stderr, reason);
      assert.doesNotMatch(stderr, /\n {4}at /);
      return true;
    });
    assert.ok(readFileSync(file).equals(before));
  }
  await assert.rejects(restore(file, { DATABASE_URL: 'postgres://db/pets' }), /pg_restore/);
  assert.deepEqual(
    readdirSync(folder).filter((name) => /\.part/.test(name) && name !== 'fresh.sqlite.part'),
    [],
  );
});
