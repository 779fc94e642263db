import { Connection } from './support/connection';
import { holdWrites, writesAsked } from './support/held-writes';
import { startApp, type RunningApp } from './support/start-app';
import { sqliteFile } from './support/test-database';
import { until } from './support/until';

let running: RunningApp;
beforeEach(async () => (running = await startApp({ OPERATION_LIMIT: '2' }, sqliteFile())));
afterEach(() => running.stop());

const HEAD = 'Host: x\r\nConnection: close\r\n';
const createPet = () => running.http.post('/v1/pet').send({ name: 'Rex' });

/** Fulfils with the pending creations, once the service works on them. */
async function createPetsHeld(count: number): Promise<Promise<{ status: number }>[]> {
  const pending = Array.from({ length: count }, () => createPet().then((answer) => answer));
  await writesAsked(running, count);
  return pending;
}

it('refuses what an operation cannot work on now, and takes on more when that is answered', async () => {
  const release = await holdWrites(running);
  const pending = await createPetsHeld(2);
  const { body, headers } = await createPet().expect(503);
  expect(body).toMatchObject({ type: '/problems/overloaded', requestId: headers['x-request-id'] });
  expect(headers['retry-after']).toBe('1');
  await release();
  expect((await Promise.all(pending)).map(({ status }) => status)).toEqual([201, 201]);
  await createPet().expect(201);
});

it('lets nobody fill an operation for others: another network is taken on still', async () => {
  const proxied = await startApp({ OPERATION_LIMIT: '2', TRUSTED_PROXIES: '1' }, sqliteFile());
  const from = (address: string) =>
    proxied.http.post('/v1/pet').set('X-Forwarded-For', address).send({ name: 'Rex' }).then();
  const release = await holdWrites(proxied);
  const asked = writesAsked(proxied, 3);
  const crowd = ['2001:db8::1', '2001:db8::2', '2001:db8::3'].map(from);
  const other = from('198.51.100.1');
  await asked;
  await release();
  const statuses = (await Promise.all(crowd)).map(({ status }) => status);
  expect([statuses.sort(), (await other).status]).toEqual([[201, 201, 503], 201]);
  await proxied.stop();
});

it('goes on with the other operations, and never refuses a health check', async () => {
  const release = await holdWrites(running);
  const pending = await createPetsHeld(2);
  await running.http.put('/v2/pet').send({ id: 1 }).expect(401);
  const checks = await Promise.all(Array.from({ length: 5 }, () => running.http.get('/health/ready')));
  expect(checks.map(({ body }) => (body as { type: string }).type)).toEqual(Array(5).fill('/problems/unavailable'));
  await release();
  await Promise.all(pending);
});

it('counts each operation once, whatever the query and the form of its address', async () => {
  const release = await holdWrites(running);
  const log = (host: number) =>
    `GET http://h${host}/v2/user/login?username=tess&password=${host} HTTP/1.1\r\n${HEAD}\r\n`;
  const clients = await Promise.all([1, 2, 3, 4, 5].map(() => Connection.to(running.url)));
  await Promise.all(clients.map((client, host) => client.write(log(host))));
  const refused = () => clients.flatMap(({ statuses }) => statuses);
  await until(() => refused().length === 3);
  expect(refused()).toEqual([503, 503, 503]);
  await release();
  await Promise.all(clients.map((client) => client.closed()));
});

const HALF_PET = `POST /v1/pet HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nContent-Length: 14\r\n\r\n{"na`;

it('gives no place to a client that is still sending', async () => {
  const slow = await Promise.all(Array.from({ length: 5 }, () => Connection.to(running.url)));
  await Promise.all(slow.map((client) => client.write(HALF_PET)));
  await createPet().expect(201);
  slow.forEach((client) => client.reset());
});

it('asks once more when the body is there: late bodies get no more places than others', async () => {
  const late = await Promise.all(Array.from({ length: 5 }, () => Connection.to(running.url)));
  await Promise.all(late.map((client) => client.write(HALF_PET)));
  const release = await holdWrites(running);
  await Promise.all(late.map((client) => client.write('me":"Rex"}')));
  const refused = () => late.filter(({ statuses }) => statuses[0] === 503);
  await until(() => refused().length === 3);
  for (const { received } of refused()) {
    expect(received).toMatch(/^HTTP\/1\.1 503 (?=.*\r\nRetry-After: 1\r\n).*\r\nConnection: close\r\n.*overloaded/s);
  }
  await release();
  await Promise.all(late.map((client) => client.closed()));
  expect(late.flatMap(({ statuses }) => statuses).sort()).toEqual([201, 201, 503, 503, 503]);
  expect(await running.query('SELECT id FROM pet')).toHaveLength(2);
});

it('bounds the bodies that are still arriving: the largest give way, with 503, and small ones never', async () => {
  const length = 1_048_576;
  const head = `POST /v1/pet HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
  const small = await Connection.to(running.url);
  await small.write(HALF_PET);
  const large = await Promise.all(Array.from({ length: 80 }, () => Connection.to(running.url)));
  await Promise.all(large.map((client) => client.write(head + ' '.repeat(length - 1))));
  const refused = () => large.filter(({ received }) => received !== '');
  await until(() => refused().length >= 16);
  for (const { received } of refused()) {
    expect(received).toMatch(/^HTTP\/1\.1 503 (?=.*\r\nRetry-After: 1\r\n).*\r\nConnection: close\r\n.*overloaded/s);
  }
  expect(refused().length).toBeLessThan(40);
  await createPet().expect(201);
  await small.write('me":"Rex"}');
  await small.answers(1);
  expect(small.statuses).toEqual([201]);
  large.forEach((client) => client.reset());
  small.reset();
});

it('counts what a body takes in memory: one in a million chunks of a byte is as large as many', async () => {
  const chunked = `POST /v1/pet HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const client = await Connection.to(running.url);
  void client.write(chunked + '1\r\n \r\n'.repeat(150_000));
  await client.answers(1);
  expect(client.statuses).toEqual([503]);
  client.reset();
});
