// What is answered in time when more is asked than the service can do, with the limit of requests per operation and
// without. Both run in turn in every round, so that they meet the same machine. Writes docs/overload.svg.
//   npm run build && node bench/overload.mjs
import { writeFileSync } from 'node:fs';
import { start, temporaryFolder } from '../test/support/built-service.mjs';
import { openLoop } from './open-loop.mjs';
import { lineChart } from './plot.mjs';

const ROUNDS = 3;
const SECONDS = 5;
const LOADS = [0.25, 0.5, 0.75, 1, 1.5, 2, 3];
const IN_TIME_MS = 1_000;
const UNLIMITED = { OPERATION_LIMIT: '100000', DATABASE_QUEUE_LIMIT: '100000' };

const folder = temporaryFolder((remove) => process.once('exit', remove));
let databases = 0;

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

async function withService(settings, work) {
  const service = await start({ DATABASE_URL: `sqlite:${folder}/${databases++}.sqlite`, ...settings });
  const load = (rate, seconds = SECONDS) =>
    openLoop({ port: new URL(service.url).port, rate, seconds, connections: 1_000, inTimeMs: IN_TIME_MS });
  await load(500, 3); // warms the compiler up
  const result = await work(load);
  await service.stop();
  return result;
}

/** The highest rate of which 98 % is answered in time. */
const capacity = await withService({}, async (load) => {
  let best = 0;
  for (let rate = 1_000; ; rate += 500) {
    const { goodput } = await load(rate, 3);
    if (goodput < 0.98 * rate) return Math.max(best, goodput);
    best = rate;
  }
});
console.log(`capacity: ${capacity} requests a second`);

const results = { limited: [], unlimited: [] };
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, settings] of [
    ['limited', {}],
    ['unlimited', UNLIMITED],
  ]) {
    await withService(settings, async (load) => {
      for (const factor of LOADS) {
        const result = await load(factor * capacity);
        results[name].push({ factor, ...result });
        console.log(name, factor, JSON.stringify(result));
      }
    });
  }
}

const curve = (name, value) =>
  LOADS.map((factor) => [factor, median(results[name].filter((r) => r.factor === factor).map(value))]);
const goodput = (name) => curve(name, (result) => result.goodput);
writeFileSync(
  new URL('../docs/overload.svg', import.meta.url),
  lineChart({
    title: `POST /v1/pet: answered within a second, by load`,
    xLabel: `load, in multiples of ${Math.round(capacity)} requests a second`,
    yLabel: 'answers a second',
    series: [
      { name: 'with OPERATION_LIMIT', points: [[0, 0], ...goodput('limited')] },
      { name: 'without', points: [[0, 0], ...goodput('unlimited')] },
    ],
  }),
);
const peak = Math.max(...goodput('limited').map(([, value]) => value));
for (const name of ['limited', 'unlimited']) {
  const [, atThree] = goodput(name).at(-1);
  const [, p99] = curve(name, (result) => result.p99).at(-1);
  console.log(
    `${name}: at 3 times the load ${Math.round((100 * atThree) / peak)} % of the peak, p99 ${Math.round(p99)} ms`,
  );
}
