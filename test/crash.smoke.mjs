// The short version of test/crash.mjs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { killService, postgresDatabase, restartDatabase, sqliteDatabase } from './support/crash.mjs';
import { PostgresCluster } from './support/postgres-cluster.mjs';

const skip = !PostgresCluster.isPossible() && 'PostgreSQL is not installed';

for (const [name, open, fault, options] of [
  ['a killed service on SQLite', sqliteDatabase, killService, {}],
  ['a killed service on PostgreSQL', postgresDatabase, killService, { skip }],
  ['PostgreSQL restarted at once', postgresDatabase, restartDatabase, { skip }],
]) {
  test(`${name} breaks no promise`, options, async () => {
    const database = await open();
    try {
      for (const round of ['a', 'b']) {
        const { acknowledged, broken } = await fault(database, round);
        assert.deepEqual(broken, []);
        assert.ok(acknowledged > 0);
      }
    } finally {
      await database.drop();
    }
  });
}
