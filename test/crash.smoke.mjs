// The short version of test/crash.mjs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { json } from './support/built-service.mjs';
import { killService, loseAnswer, postgresDatabase, restartDatabase, sqliteDatabase } from './support/crash.mjs';
import { PostgresCluster } from './support/postgres-cluster.mjs';

const skip = !PostgresCluster.isPossible() && 'PostgreSQL is not installed';

for (const [
  name,
  open,
  fault,
  options,
] of /** @type {[string, () => Promise<any>, (database: any, round: string) => Promise<any>, object][]} */ ([
  ['a killed service on SQLite', sqliteDatabase, killService, {}],
  ['a killed service on PostgreSQL', postgresDatabase, killService, { skip }],
  ['PostgreSQL restarted at once', postgresDatabase, restartDatabase, { skip }],
])) {
  test(`${name} breaks no promise`, options, async () => {
    const database = await open();
    try {
      for (const round of ['a', 'b']) {
        const { acknowledged, repeats, doubles, broken } = await fault(database, round);
        assert.deepEqual(broken, []);
        assert.equal(doubles, 0);
        assert.ok(acknowledged > 0 && repeats > 0);
      }
    } finally {
      await database.drop();
    }
  });
}

for (const [name, open, options] of /** @type {[string, () => Promise<any>, object][]} */ ([
  ['SQLite', sqliteDatabase, {}],
  ['PostgreSQL, from any process', postgresDatabase, { skip }],
])) {
  test(`a service killed between COMMIT and answer gives it to the repeat on ${name}`, options, async () => {
    const database = await open();
    try {
      const creations = [
        ['/v1/pet', 201, { name: 'Rex' }, 'pet', 1],
        ['/v2/pet', 200, { id: 7, name: 'Max', photoUrls: [] }, 'pet', 2],
        ['/v2/user', 200, { username: 'ann', password: 'p' }, '"user"', 1],
        ['/v2/user/createWithList', 200, [{ username: 'bob', password: 'p' }, {}], '"user"', 3],
      ];
      for (const [n, [path, status, body, table, rows]] of creations.entries()) {
        const options = { method: 'POST', ...json(body, { 'Idempotency-Key': `k-${n}` }) };
        const { first, signal, notes, repeats } = await loseAnswer(database, path, options);
        assert.deepEqual([first, signal, notes], [undefined, 'SIGKILL', n + 1]);
        const { text } = repeats[0];
        assert.deepEqual(
          repeats,
          repeats.map(() => ({ status, isReplayed: true, text })),
        );
        assert.equal((await database.query(`SELECT id FROM ${table}`)).length, rows);
      }
    } finally {
      await database.drop();
    }
  });
}
