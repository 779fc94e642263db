import { connect, type Socket } from 'node:net';
import { holdWrites } from './support/held-writes';
import { startApp, type RunningApp } from './support/start-app';
import { sqliteFile } from './support/test-database';

let running: RunningApp;
let sockets: Socket[];
beforeEach(() => (sockets = []));
afterEach(async () => {
  sockets.forEach((socket) => socket.destroy());
  await running.stop();
});

async function dial(localAddress?: string): Promise<Socket> {
  const { port, hostname } = new URL(running.url);
  const socket = connect({ port: Number(port), host: hostname, localAddress }).on('error', () => {});
  sockets.push(socket);
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}

const closed = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()));

it.each([
  ['head', 'POST /v1/pet HTTP/1.1\r\nHost:'],
  ['body', 'POST /v1/pet HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n{"na'],
])('answers 408 to a client that does not finish the %s of its request, and hangs up', async (_, part) => {
  running = await startApp({ REQUEST_TIMEOUT_MS: '600' });
  const socket = await dial();
  let answer = '';
  socket.on('data', (chunk) => (answer += String(chunk)));
  socket.write(part);
  await closed(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
});

it('hangs up on a client that reads nothing of its answers, and on no other', async () => {
  running = await startApp({ REQUEST_TIMEOUT_MS: '600' }, sqliteFile());
  const patient = await createPetHeld();
  const slow = await dial();
  await untilConnections(2);
  slow.pause().write('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(200));
  await untilConnections(1);
  await patient.release();
  expect(await patient.answer).toMatch(/^HTTP\/1\.1 201 /);
});

it('drops connections beyond MAX_CONNECTIONS', async () => {
  running = await startApp({ MAX_CONNECTIONS: '2' });
  const first = await dial();
  await dial();
  await closed(await dial());
  first.destroy();
  await untilConnections(1);
  await running.http.get('/health/live').expect(200);
});

it.each(['', 'GET /health/live HTTP/1.1\r\nHost: x\r\n', 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n'])(
  'leaves others a place while one network takes all and sends %j',
  async (part) => {
    running = await startApp({ MAX_CONNECTIONS: '40' });
    const patient = await createPetHeld('127.0.0.2');
    const greedy: Socket[] = [];
    for (let n = 0; n < 45; n++) {
      greedy.push(await dial('127.0.0.2'));
      greedy[n]!.resume().write(part);
    }
    for (let n = 0; n < 30; n++) {
      const other = await dial();
      const answer = new Promise<string>((resolve) => other.once('data', (chunk) => resolve(String(chunk))));
      other.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
      expect(await Promise.race([answer, closed(other)])).toMatch(/^HTTP\/1\.1 200 /);
      other.destroy();
    }
    await untilConnections(39);
    await patient.release();
    expect(await patient.answer).toMatch(/^HTTP\/1\.1 201 /);
  },
);

/** A client that waits for its answer until it is released. */
async function createPetHeld(
  localAddress?: string,
): Promise<{ release: () => Promise<void>; answer: Promise<string> }> {
  const release = await holdWrites(running);
  const client = await dial(localAddress);
  const answer = new Promise<string>((resolve) => client.once('data', (chunk) => resolve(String(chunk))));
  client.write(
    'POST /v1/pet HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n{"name":"Rex"}',
  );
  return { release, answer };
}

async function untilConnections(count: number): Promise<void> {
  const server = running.app.getHttpServer() as { getConnections: (done: (error: unknown, n: number) => void) => void };
  const connections = () => new Promise<number>((resolve) => server.getConnections((_, n) => resolve(n)));
  while ((await connections()) !== count) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
