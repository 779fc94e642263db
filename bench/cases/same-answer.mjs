// Does the time of a refused log-in tell whether the name exists? Three kinds of refusal, in random order, compared by
// the Mann-Whitney U test: a p-value under 0.01 would tell them apart.
import { options } from '../lib/options.mjs';
import { start, temporaryFolder } from '../../test/support/built-service.mjs';

const tries = options.count ?? 400;
const KINDS = { 'wrong password': 'tess', 'unknown user': 'nobody', 'user without password': 'nopass' };

const folder = temporaryFolder((remove) => process.once('exit', remove));
const server = await start({
  DATABASE_URL: `sqlite:${folder}/bench.sqlite`,
  LOGIN_FAILURES_PER_ACCOUNT: '1000000',
  LOGIN_FAILURES_PER_ADDRESS: '1000000',
  ...JSON.parse(process.env.BENCH_SETTINGS ?? '{}'),
});
await fetch(`${server.url}/v2/user/createWithList`, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify([{ username: 'tess', password: 'right' }, { username: 'nopass' }]),
});

async function msOf(username) {
  const began = performance.now();
  const answer = await fetch(`${server.url}/v2/user/login?username=${username}&password=wrong`);
  await answer.arrayBuffer();
  if (answer.status !== 401) throw new Error(`answered ${answer.status}`);
  return performance.now() - began;
}

const times = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, []]));
for (let n = 0; n < tries + 20; n++) {
  for (const [kind, username] of shuffled(Object.entries(KINDS))) {
    const ms = await msOf(username);
    if (n >= 20) times[kind].push(ms);
  }
}
await server.stop();

console.log(`${tries} tries of each kind, in random order\n`);
console.log('kind                      median ms   p90 ms');
for (const [kind, list] of Object.entries(times)) {
  console.log(kind.padEnd(24), quantile(list, 0.5).toFixed(3).padStart(10), quantile(list, 0.9).toFixed(3).padStart(8));
}
console.log('\ncompared with a wrong password   difference of medians   p (Mann-Whitney U)');
const [reference, ...others] = Object.entries(times);
for (const [kind, list] of others) {
  const difference = (quantile(list, 0.5) - quantile(reference[1], 0.5)) * 1_000;
  console.log(
    kind.padEnd(30),
    `${difference.toFixed(0)} µs`.padStart(22),
    pValue(reference[1], list).toFixed(3).padStart(20),
  );
}
// How much the test would notice: the same figures, one kind made slower by so much.
const noticed = [20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000].find(
  (micros) =>
    pValue(
      reference[1],
      reference[1].map((ms) => ms + micros / 1_000),
    ) < 0.01,
);
console.log(`\nA difference of ${noticed} µs would have been noticed (p < 0.01).`);

function shuffled(list) {
  return list
    .map((item) => [Math.random(), item])
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}

function quantile(list, q) {
  return [...list].sort((a, b) => a - b)[Math.floor(list.length * q)];
}

/** Two-sided, by the normal approximation; ties do not occur in times of this resolution. */
function pValue(a, b) {
  const ranked = [...a.map((ms) => [ms, 0]), ...b.map((ms) => [ms, 1])].sort(([x], [y]) => x - y);
  const ranksOfA = ranked.reduce((sum, [, which], index) => (which === 0 ? sum + index + 1 : sum), 0);
  const u = ranksOfA - (a.length * (a.length + 1)) / 2;
  const deviation = Math.sqrt((a.length * b.length * (a.length + b.length + 1)) / 12);
  return 2 * (1 - normal(Math.abs(u - (a.length * b.length) / 2) / deviation));
}

/** Abramowitz and Stegun 26.2.17. */
function normal(z) {
  const t = 1 / (1 + 0.2316419 * z);
  const tail = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return 1 - (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * tail;
}
