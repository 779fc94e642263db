import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { startApp, type RunningApp } from './support/start-app';
import { sqliteFile } from './support/test-database';

let running: RunningApp;
beforeEach(async () => (running = await startApp({ OPERATION_LIMIT: '2' }, sqliteFile())));
afterEach(() => running.stop());

const createPet = () => running.http.post('/v1/pet').send({ name: 'Rex' });
const logIn = (password: string) => running.http.get('/v2/user/login').query({ username: 'tess', password });

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) {
    await setTimeout(5);
  }
}

/** Keeps every write waiting until the answer is called. */
async function holdWrites(): Promise<() => void> {
  let release = () => {};
  await new Promise<void>((held) => {
    void running.database.write(() => {
      held();
      return new Promise<void>((resolve) => (release = resolve));
    });
  });
  return release;
}

/** Fulfils with the pending creations, once the service works on them. */
async function createPetsHeld(count: number): Promise<Promise<{ status: number }>[]> {
  const pending = Array.from({ length: count }, () => createPet().then((answer) => answer));
  const write = jest.spyOn(running.database, 'write');
  await until(() => write.mock.calls.length === count);
  return pending;
}

it('refuses what an operation cannot work on now, and takes on more when that is answered', async () => {
  const release = await holdWrites();
  const pending = await createPetsHeld(2);
  const { body, headers } = await createPet().expect(503);
  expect(body).toMatchObject({ type: '/problems/overloaded', requestId: headers['x-request-id'] });
  expect(headers['retry-after']).toBe('1');
  release();
  expect((await Promise.all(pending)).map(({ status }) => status)).toEqual([201, 201]);
  await createPet().expect(201);
});

it('goes on with the other operations, and never refuses a health check', async () => {
  const release = await holdWrites();
  const pending = await createPetsHeld(2);
  await running.http.put('/v2/pet').send({ id: 1 }).expect(401);
  const checks = await Promise.all(Array.from({ length: 5 }, () => running.http.get('/health/ready')));
  expect(checks.map(({ body }) => (body as { type: string }).type)).toEqual(Array(5).fill('/problems/unavailable'));
  release();
  await Promise.all(pending);
});

it('counts each path once, whatever its query', async () => {
  const release = await holdWrites();
  const statuses: number[] = [];
  const pending = ['a', 'b', 'c', 'd', 'e'].map((password) =>
    logIn(password).then(({ status }) => statuses.push(status)),
  );
  await until(() => statuses.length === 3);
  expect(statuses).toEqual([503, 503, 503]);
  release();
  await Promise.all(pending);
});

it('gives no place to a client that is still sending', async () => {
  const { port, hostname } = new URL(running.url);
  const slow = Array.from({ length: 5 }, () => connect(Number(port), hostname));
  const head = 'POST /v1/pet HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n';
  await Promise.all(slow.map((socket) => new Promise<void>((resolve) => socket.write(`${head}{"na`, () => resolve()))));
  await createPet().expect(201);
  slow.forEach((socket) => socket.destroy());
});
