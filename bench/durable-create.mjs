// node bench/durable-create.mjs [rounds]      (after npm run build)
// Pets created a second over HTTP, each on the disk before its answer: with group commit and one by one on SQLite,
// with SQLITE_SYNCHRONOUS=NORMAL for comparison, and on PostgreSQL where TEST_DATABASE_URL names a server. The variants take turns in every round.
import { Agent, request } from 'node:http';
import { resolve } from 'node:path';
import { start, temporaryFolder } from '../test/support/built-service.mjs';
import { createDatabase, server } from '../test/support/server-database.mjs';

const ROUNDS = Number(process.argv[2] ?? 5);
const ROUND_MS = 2_000;
const CONNECTIONS = [1, 8, 64];

const cleanUp = [];
const folder = temporaryFolder((remove) => cleanUp.push(remove));
const settings = { LOG_LEVEL: 'info' };
const oneByOne = ['--require', resolve(import.meta.dirname, 'one-by-one.cjs')];
const variants = {
  'SQLite, group commit': await start({ ...settings, DATABASE_URL: `sqlite:${folder}/grouped.sqlite` }),
  'SQLite, one by one': await start({ ...settings, DATABASE_URL: `sqlite:${folder}/single.sqlite` }, oneByOne),
  'SQLite, NORMAL': await start({
    ...settings,
    DATABASE_URL: `sqlite:${folder}/normal.sqlite`,
    SQLITE_SYNCHRONOUS: 'NORMAL',
  }),
};
if (server) {
  const { url, drop } = await createDatabase();
  cleanUp.unshift(drop);
  variants.PostgreSQL = await start({ ...settings, DATABASE_URL: url, POSTGRES_POOL_SIZE: '20' });
}

const body = JSON.stringify({ name: 'Rex', owner_id: 'o-1', species: 'dog', breed: 'Beagle' });
const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };

/** Creates in a closed loop on each connection; answers pets a second. */
async function createFor(ms, url, connections) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const until = performance.now() + ms;
  let created = 0;
  const loop = async () => {
    while (performance.now() < until) {
      if ((await create(url, agent)) !== 201) throw new Error('a pet was not created');
      created += 1;
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: connections }, loop));
  agent.destroy();
  return (created * 1_000) / (performance.now() - began);
}

function create(url, agent) {
  return new Promise((answered, failed) => {
    const sent = request(`${url}/v1/pet`, { method: 'POST', agent, headers }, (answer) => {
      answer.resume().once('end', () => answered(answer.statusCode));
    });
    sent.once('error', failed).end(body);
  });
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

try {
  for (const { url } of Object.values(variants)) await createFor(ROUND_MS, url, 8);
  for (const connections of CONNECTIONS) {
    const rates = Object.fromEntries(Object.keys(variants).map((name) => [name, []]));
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, { url }] of Object.entries(variants)) {
        rates[name].push(await createFor(ROUND_MS, url, connections));
      }
    }
    for (const [name, measured] of Object.entries(rates)) {
      console.log(`${connections} connections, ${name}: ${Math.round(median(measured))} pets/s`);
    }
    const grouped = rates['SQLite, group commit'];
    const gains = rates['SQLite, one by one'].map((rate, round) => grouped[round] / rate);
    console.log(`${connections} connections, gain of group commit: ×${median(gains).toFixed(2)} (median of pairs)`);
  }
} finally {
  await Promise.all(Object.values(variants).map((service) => service.stop()));
  for (const step of cleanUp) await step();
}
