// While a thousand users are being created, how long do a log-in and a health check take?
import { options } from '../lib/options.mjs';
import { start, temporaryFolder } from '../../test/support/built-service.mjs';

const rounds = options.rounds ?? 3;

const folder = temporaryFolder((remove) => process.once('exit', remove));
const server = await start({ DATABASE_URL: `sqlite:${folder}/bench.sqlite` });

const create = (users) =>
  fetch(`${server.url}/v2/user/createWithList`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(users),
  });
const users = (name, count) =>
  Array.from({ length: count }, (_, n) => ({ username: `${name}-${n}`, password: `secret ${n}` }));

await create([{ username: 'tess', password: 'right' }]);

const PROBES = {
  'log in': { path: '/v2/user/login?username=tess&password=right', everyMs: 100 },
  'health check': { path: '/health/live', everyMs: 20 },
};

/** Asks again and again, at fixed times, until `work` is done; a late answer does not delay the next question. */
async function probe({ path, everyMs }, work) {
  const times = [];
  let refused = 0;
  const asked = [];
  let done = false;
  void work.then(() => (done = true));
  while (!done) {
    const began = performance.now();
    asked.push(
      fetch(server.url + path).then(async (answer) => {
        await answer.arrayBuffer();
        if (answer.status === 200) times.push(performance.now() - began);
        else refused++;
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  await Promise.all(asked);
  return { times, refused };
}

async function measure(work) {
  const began = performance.now();
  const finished = work().then(() => performance.now() - began);
  const results = await Promise.all(Object.values(PROBES).map((kind) => probe(kind, finished)));
  return { seconds: (await finished) / 1_000, results };
}

const quantile = (list, q) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * q))];
const LOADS = {
  'nothing else': () => new Promise((resolve) => setTimeout(resolve, 5_000)),
  '1,000 users in one request': async (round) => create(users(`a${round}`, 1_000)),
  '250 users in each of 4 requests': (round) =>
    Promise.all([1, 2, 3, 4].map((n) => create(users(`b${round}.${n}`, 250)))),
};

const collected = Object.fromEntries(
  Object.keys(LOADS).map((load) => [load, { seconds: [], times: [[], []], refused: [0, 0] }]),
);
for (let round = 0; round < rounds; round++) {
  for (const [load, work] of Object.entries(LOADS)) {
    const { seconds, results } = await measure(() => work(round));
    collected[load].seconds.push(seconds);
    results.forEach(({ times, refused }, index) => {
      collected[load].times[index].push(...times);
      collected[load].refused[index] += refused;
    });
  }
}
await server.stop();

console.log(`${rounds} rounds; milliseconds\n`);
console.log(
  'meanwhile'.padEnd(36),
  'probe'.padEnd(14),
  'count'.padStart(6),
  'p50'.padStart(8),
  'p99'.padStart(8),
  'max'.padStart(8),
  'refused'.padStart(8),
);
for (const [load, { seconds, times, refused }] of Object.entries(collected)) {
  Object.keys(PROBES).forEach((name, index) => {
    const list = times[index];
    const figures = [quantile(list, 0.5), quantile(list, 0.99), Math.max(...list)];
    console.log(
      (index === 0 ? `${load} (${quantile(seconds, 0.5).toFixed(1)} s)` : '').padEnd(36),
      name.padEnd(14),
      String(list.length).padStart(6),
      ...figures.map((ms) => ms.toFixed(1).padStart(8)),
      String(refused[index]).padStart(8),
    );
  });
}
