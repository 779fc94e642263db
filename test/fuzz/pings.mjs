// Runs in a thread of its own, so that a test which is busy does not look like a service which is slow.
import { Agent, get } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

const EVERY_MS = 20;
const agent = new Agent({ keepAlive: true });

/** Milliseconds to an answer; endless without one. */
function ping(url) {
  const start = performance.now();
  return new Promise((resolve) =>
    get(`${url}/health/live`, { agent }, (res) => res.resume().on('end', () => resolve(performance.now() - start))).on(
      'error',
      () => resolve(Infinity),
    ),
  );
}

let ended = false;
parentPort.once('message', () => (ended = true));
let [pings, later] = [0, -Infinity];
while (!ended) {
  const [busy, idle] = await Promise.all([ping(workerData.busy), ping(workerData.idle)]);
  pings += 1;
  later = Math.max(later, busy - idle);
  await setTimeout(EVERY_MS);
}
agent.destroy();
parentPort.postMessage({ pings, later });
