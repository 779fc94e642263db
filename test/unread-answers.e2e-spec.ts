import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from './support/connection';
import { startApp, type RunningApp } from './support/start-app';

let running: RunningApp;
afterEach(() => running.stop());

const request = (line: string, headers = '', body = '') => `${line} HTTP/1.1\r\nHost: x\r\n${headers}\r\n${body}`;

it('makes one answer at a time for a client that reads none, and the others when it reads', async () => {
  running = await startApp();
  const photoUrls = Array.from({ length: 100 }, (_, n) => `https://photos.example/${n}/${'a'.repeat(1_900)}`);
  for (let n = 0; n < 10; n += 1) {
    const pet = { name: 'Rex', photoUrls, status: 'available' };
    await running.http.post('/v2/pet').send(pet).expect(200);
  }
  const before = process.memoryUsage().rss;
  const clients = await Promise.all([1, 2, 3].map(() => Connection.to(running.url)));
  let most = 0;
  const watching = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20);
  for (const client of clients) {
    client.pause();
    await client.write(request('GET /v2/pet/findByStatus?status=available').repeat(100));
  }
  await sleep(2_000);
  expect((most - before) / 1_048_576).toBeLessThan(150);
  clearInterval(watching);
  clients[0]!.resume();
  await clients[0]!.answers(10);
  clients.forEach((client) => client.destroy());
});

it('does what a pipeline asks for in order, one after the other (RFC 9112, 9.3.2)', async () => {
  running = await startApp();
  const client = await Connection.to(running.url);
  const post = (name: string) => {
    const body = JSON.stringify({ name });
    return request('POST /v1/pet', `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`, body);
  };
  await client.write(post('Rex') + request('GET /v1/pet/1') + post('Max') + request('GET /v1/pet/2'));
  await client.answers(4);
  expect(client.statuses).toEqual([201, 200, 201, 200]);
  client.destroy();
});

it('carries out the first hundred of a pipeline, says close with the last, and nothing of the others', async () => {
  running = await startApp();
  const client = await Connection.to(running.url);
  const create = request('POST /v1/pet', 'Content-Type: application/json\r\nContent-Length: 14\r\n', '{"name":"Rex"}');
  // Node reads them in one go; each costs the event loop some of its time before another client has a turn.
  await client.write(create.repeat(300));
  await client.closed();
  expect(client.statuses).toEqual(Array(100).fill(201));
  expect(client.received.match(/^Connection: close\r$/gm)).toHaveLength(1);
  expect((await running.http.get('/v1/pet?limit=1000').expect(200)).body).toHaveLength(100);
});
