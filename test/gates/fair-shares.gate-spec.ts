import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { EVERYTHING, hostileOperations, type HostileOperation } from '../support/hostile';
import { startApp, tokenFor, type RunningApp } from '../support/start-app';

/*
 * Fair shares: one client does its worst at an operation, on many connections, and another, of another network, goes on
 * beside it. Nothing of the other's is refused, and the 99th percentile of each of its errands is at most five times what
 * it is while nobody else is there, or what a few large requests of the crowd cost. With HOSTILE=whole the figures of all
 * are shown.
 */

const CROWD = 32;
const LIST = 1_000;
const FACTOR = 5;
/** What is under way is not interrupted: so long may an errand last in any case, as on a busy machine. */
const FLOOR_MS = 60;
const ROUNDS = 20;
/** Whoever waits for so long has seen enough. */
const PATIENCE_MS = 15_000;
const TRIES = 3;

jest.setTimeout(300_000);

let running: RunningApp;
let greedy: string;
let polite: string;
let pet: number;
beforeAll(async () => {
  running = await startApp({ TRUSTED_PROXIES: '1' });
  greedy = await tokenFor(running, 'greedy');
  await tokenFor(running, 'crowd');
  polite = await tokenFor(running, 'polite');
  // Many log-ins end the oldest sessions of their user.
  await tokenFor(running, 'visitor');
  // The first pet is the crowd's, also to delete.
  await running.http.post('/v1/pet').send({ name: 'Max' }).expect(201);
  pet = (await running.http.post('/v1/pet').send({ name: 'Rex' }).expect(201)).body.id as number;
});
afterAll(() => running.stop());

/** The status of an answer; null where the connection ended without one. */
function ask(agent: Agent, method: string, path: string, body?: string): Promise<number | null> {
  const headers = {
    Authorization: `Bearer ${polite}`,
    'X-Forwarded-For': '198.51.100.1',
    ...(body && { 'Content-Type': 'application/json' }),
  };
  return new Promise((resolve) => {
    const req = request(running.url + path, { agent, method, headers }, (res) => {
      res.resume().once('close', () => resolve(res.statusCode!));
    });
    req.once('error', () => resolve(null)).end(body);
  });
}

/** What the polite client does, one thing after another. */
const errands: Record<string, (agent: Agent) => Promise<number | null>> = {
  create: (agent) => ask(agent, 'POST', '/v1/pet', JSON.stringify({ name: 'Rex' })),
  update: (agent) => ask(agent, 'PUT', '/v2/pet', JSON.stringify({ id: pet, name: 'Rex', photoUrls: [] })),
  read: (agent) => ask(agent, 'GET', `/v2/pet/${pet}`),
  'log-in': (agent) => ask(agent, 'GET', '/v2/user/login?username=visitor&password=right'),
  ready: (agent) => ask(agent, 'GET', '/health/ready'),
};

interface Experience {
  /** Of each errand, in ms. */
  p99: Record<string, number>;
  refused: string[];
}

async function experience(): Promise<Experience> {
  const agent = new Agent({ keepAlive: true });
  const waits: Record<string, number[]> = {};
  const refused: string[] = [];
  const end = performance.now() + PATIENCE_MS;
  for (let round = 0; round < ROUNDS && (round === 0 || performance.now() < end); round++) {
    for (const [errand, run] of Object.entries(errands)) {
      const start = performance.now();
      const status = await run(agent);
      (waits[errand] ??= []).push(performance.now() - start);
      if (status === null || status >= 400) {
        refused.push(`${errand} ${status}`);
      }
    }
  }
  agent.destroy();
  const p99 = (all: number[]) => all.toSorted((a, b) => a - b)[Math.ceil(all.length * 0.99) - 1]!;
  return { p99: Object.fromEntries(Object.entries(waits).map(([errand, all]) => [errand, p99(all)])), refused };
}

/** Keeps as many requests under way as the crowd is large; what it answers ends them. */
function crowd({ method, path, query, json }: HostileOperation): () => Promise<number> {
  const isList = Array.isArray(json?.example);
  const [body] = isList ? (json?.example as object[]) : [json?.example];
  const workerData = {
    ...{ url: running.url, method, path: query ? `${path}?${query}` : path, token: greedy },
    ...{ body, list: isList ? LIST : 0, size: CROWD },
  };
  const worker = new Worker(resolve(__dirname, 'crowd.mjs'), { workerData });
  return async () => {
    worker.postMessage('end');
    const [requests] = (await once(worker, 'message')) as [number];
    await worker.terminate();
    return requests;
  };
}

const operations = hostileOperations({ username: 'crowd', password: 'right', status: 'sold' });

it.each(operations.map((operation) => [`${operation.method} ${operation.template}`, operation] as const))(
  'a crowd at %s leaves others their share',
  async (name, operation) => {
    let faults: string[] = [];
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const idle = await experience();
      const disperse = crowd(operation);
      await sleep(200);
      const busy = await experience();
      const requests = await disperse();
      const late = Object.keys(errands).filter(
        (errand) => busy.p99[errand]! > FACTOR * Math.max(idle.p99[errand]!, FLOOR_MS),
      );
      const shown = (errand: string) =>
        `${errand} ${idle.p99[errand]!.toFixed(1)} → ${busy.p99[errand]!.toFixed(1)} ms`;
      if (EVERYTHING) {
        console.log(`${name} (${requests} requests): ${Object.keys(errands).map(shown).join(', ')}`);
      }
      faults = [...late.map(shown), ...busy.refused];
      if (faults.length === 0) {
        break;
      }
    }
    expect(faults).toEqual([]);
  },
);
