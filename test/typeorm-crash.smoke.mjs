// kill -9 under a program that writes as TypeORM's documentation does: what was acknowledged is there, whole, and
// nothing else but what was under way.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from './support/built-service.mjs';
import { createDatabase, server } from './support/server-database.mjs';

const PROGRAM = ['-r', '@swc-node/register', 'test/support/typeorm-writer.ts'];
const ROUNDS = 2;
const STORED = 200;

const folder = temporaryFolder(after);
const databases = { SQLite: async () => `sqlite:${join(folder, 'crash.sqlite')}` };
if (server) {
  databases.PostgreSQL = async () => {
    const { url, drop } = await createDatabase();
    after(drop);
    return url;
  };
}

/** What it said until it was killed, by its first words. */
async function killed(env) {
  const program = spawn(process.execPath, PROGRAM, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  program.stdout.setEncoding('utf8').on('data', (text) => (said += text));
  const closed = once(program, 'close');
  while (said.split('stored ').length <= STORED && program.exitCode === null) await sleep(20);
  program.kill('SIGKILL');
  await closed;
  const names = (word) => [...said.matchAll(new RegExp(`^${word} (\\S+)$`, 'gm'))].map(([, name]) => name);
  return { begun: names('begun'), stored: names('stored'), failed: names('failed') };
}

for (const [name, open] of Object.entries(databases)) {
  test(`on ${name} what TypeORM has acknowledged outlives kill -9, whole, and nothing that failed is kept`, async (t) => {
    const env = { PATH: process.env.PATH, DATABASE_URL: await open() };
    for (let round = 0; round < ROUNDS; round++) {
      const { begun, stored, failed } = await killed(env);
      const rows = JSON.parse(execFileSync(process.execPath, [...PROGRAM, 'tell'], { env, encoding: 'utf8' }));
      const booksOf = new Map(rows.map(({ name: author, books }) => [author, books]));
      assert.ok(stored.length >= STORED && failed.length >= 5, `${stored.length} stored, ${failed.length} failed`);
      assert.deepEqual(
        stored.filter((author) => booksOf.get(author) !== 2),
        [],
      );
      assert.deepEqual(
        failed.filter((author) => booksOf.has(author)),
        [],
      );
      assert.deepEqual(
        begun.filter((author) => booksOf.has(author) && booksOf.get(author) !== 2),
        [],
      );
      assert.equal(rows.length, booksOf.size);
      t.diagnostic(
        `${stored.length} stored, ${failed.length} failed, ${begun.length - stored.length - failed.length} under way`,
      );
    }
  });
}
