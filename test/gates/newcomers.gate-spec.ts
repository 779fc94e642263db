import { once } from 'node:events';
import { get } from 'node:http';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { startApp, type RunningApp } from '../support/start-app';

/*
 * Whoever brings connection after connection and has each work for him does not keep others from being accepted: the
 * system queues 511 connections in the order in which they come, and none of them has turns before it is accepted.
 */

const CROWD = 100;
/** The queue has to be full, so that what would wait for it does. */
const SETTLED_MS = 4_000;
const LATE_MS = 3_000;
const CLIENTS = 5;

jest.setTimeout(120_000);

let running: RunningApp;
beforeAll(async () => {
  running = await startApp();
  const large = { name: 'Rex', status: 'sold', photoUrls: Array<string>(100).fill('\u{1f436}'.repeat(2_048)) };
  for (let n = 0; n < 3; n++) {
    await running.http.post('/v2/pet').send(large).expect(200);
  }
});
afterAll(() => running.stop());

/** How long a client of another network waits on a connection of its own. */
async function wait(): Promise<number> {
  const start = performance.now();
  const req = get(`${running.url}/health/live`, { localAddress: '127.0.0.2', agent: false });
  await Promise.race([
    once(req, 'response').then(([res]) => (res as NodeJS.ReadableStream).resume()),
    sleep(2 * LATE_MS, undefined, { ref: false }),
  ]);
  req.destroy();
  return performance.now() - start;
}

it('a flood of connections leaves others theirs', async () => {
  const { port } = new URL(running.url);
  const workerData = { port: Number(port), path: '/v2/pet/findByStatus?status=sold&limit=1000', size: CROWD };
  const strangers = new Worker(resolve(__dirname, 'strangers.mjs'), { workerData });
  await sleep(SETTLED_MS);
  const waits: number[] = [];
  for (let n = 0; n < CLIENTS; n++) {
    waits.push(Math.round(await wait()));
  }
  strangers.postMessage('end');
  const [sent] = (await once(strangers, 'message')) as [number];
  await strangers.terminate();
  expect(sent).toBeGreaterThan(10 * CROWD);
  expect({ waits, late: waits.filter((ms) => ms > LATE_MS) }).toEqual({ waits, late: [] });
});
