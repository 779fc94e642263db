import { execFileSync } from 'node:child_process';
import { Client } from 'pg';
import { startApp } from './support/start-app';
import { SmallDisk } from './support/small-disk';
import { createTestDatabase, lasting, onPostgres, type TestDatabase } from './support/test-database';

/** PostgreSQL on a disk without room. It takes root, and a server on this machine whose user is called postgres. */
const DISK_BYTES = 48 * 1_048_576;
const isPossible = onPostgres && SmallDisk.isPossible();

let disk: SmallDisk;
let database: TestDatabase;
let admin: Client;
(isPossible ? beforeAll : () => undefined)(async () => {
  disk = new SmallDisk(DISK_BYTES);
  execFileSync('chown', ['postgres', disk.path]);
  database = await createTestDatabase();
  admin = new Client(Object.assign(new URL(database.url), { pathname: '/postgres' }).href);
  await admin.connect();
  await admin.query(`CREATE TABLESPACE small LOCATION '${disk.path}'`);
  await admin.query(`ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET TABLESPACE small`);
});
(isPossible ? afterAll : () => undefined)(async () => {
  await database.drop();
  await admin.query('DROP TABLESPACE small');
  await admin.end();
  disk.unmount();
});

(isPossible ? it : it.skip)('is not ready while creations find no room, and is again when there is some', async () => {
  const running = await startApp({}, lasting(database));
  const create = () =>
    running.http
      .post('/v1/pet')
      .send({ name: 'Rex', breed: 'x'.repeat(200) })
      .then(({ status }) => status);
  const ready = async () => {
    await new Promise((resolve) => setTimeout(resolve, 1_100)); // an answer stands for a second
    return (await running.http.get('/health/ready')).status;
  };
  expect([await create(), await ready()]).toEqual([201, 200]);
  disk.fill();
  let status: number | undefined = 201;
  for (let n = 0; n < 1_000 && status === 201; n++) {
    status = await create();
  }
  expect([status, await ready(), await ready()]).toEqual([503, 503, 503]);
  expect((await running.http.get('/v1/pet?limit=1')).status).toBe(200);
  disk.free();
  expect([await ready(), await create()]).toEqual([200, 201]);
  await running.stop();
});
