// What is answered in time when more is asked than the service can do, with the limit of requests per operation and
// without. Both run in turn in every round, so that they meet the same machine. Writes docs/overload.svg.
import { writeFileSync } from 'node:fs';
import { options } from '../lib/options.mjs';
import { start, temporaryFolder } from '../../test/support/built-service.mjs';
import { openLoop } from '../lib/open-loop.mjs';
import { lineChart } from '../lib/line-chart.mjs';

const ROUNDS = options.rounds ?? 3;
const SECONDS = 3;
const LOADS = [0.5, 1, 1.5, 2, 3];
const IN_TIME_MS = 1_000;
const UNLIMITED = { OPERATION_LIMIT: '100000' };

const folder = temporaryFolder((remove) => process.once('exit', remove));
let databases = 0;

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

async function withService(settings, work) {
  const service = await start({ DATABASE_URL: `sqlite:${folder}/${databases++}.sqlite`, ...settings });
  const port = new URL(service.url).port;
  const load = (rate, seconds = SECONDS, connections = 1_000) =>
    openLoop({ port, rate, seconds, connections, inTimeMs: IN_TIME_MS });
  await load(20_000, 3, 64); // warms the compiler up
  const result = await work(load);
  await service.stop();
  return result;
}

/** What 64 clients get answered that each ask again at once. */
async function findCapacity(load) {
  const seconds = 3;
  const { inTime, late } = await load(20_000, seconds, 64);
  return (inTime + late) / (seconds + IN_TIME_MS / 1_000);
}

// The machine may be busier in one round than in another: each round measures its own capacity.
const results = { limited: [], unlimited: [] };
const capacities = [];
for (let round = 0; round < ROUNDS; round++) {
  const capacity = await withService({}, findCapacity);
  capacities.push(capacity);
  console.log(`round ${round + 1}: capacity ${Math.round(capacity)} requests a second`);
  for (const [name, settings] of [
    ['limited', {}],
    ['unlimited', UNLIMITED],
  ]) {
    await withService(settings, async (load) => {
      for (const factor of LOADS) {
        const result = await load(factor * capacity);
        results[name].push({ factor, percent: (100 * result.goodput) / capacity, ...result });
        console.log(name, factor, JSON.stringify(result));
      }
    });
  }
}

const curve = (name, value) =>
  LOADS.map((factor) => [factor, median(results[name].filter((r) => r.factor === factor).map(value))]);
const goodput = (name) => curve(name, ({ percent }) => percent);
writeFileSync(
  new URL('../../docs/overload.svg', import.meta.url),
  lineChart({
    title: 'POST /v1/pet: answered within a second',
    xLabel: `load, in multiples of the capacity (${capacities.map(Math.round).join(', ')} requests a second)`,
    yLabel: '% of the capacity',
    series: [
      { name: 'with OPERATION_LIMIT', points: [[0, 0], ...goodput('limited')] },
      { name: 'without', points: [[0, 0], ...goodput('unlimited')] },
    ],
  }),
);
for (const [name, all] of Object.entries(results)) {
  const shares = capacities.map((_, round) => {
    const values = all.slice(round * LOADS.length, (round + 1) * LOADS.length).map((result) => result.goodput);
    return Math.round((100 * values.at(-1)) / Math.max(...values));
  });
  const [, p99] = curve(name, (result) => result.p99).at(-1);
  console.log(`${name}: at 3 times the load ${shares.join(', ')} % of the round's peak, p99 ${Math.round(p99)} ms`);
}
