// Does it matter how much is stored? The same requests to two services in turn, one with 1,000 pets, users and
// sessions, the other with 1,000,000 of each.
import { call, http, load } from '../lib/load.mjs';
import { options } from '../lib/options.mjs';
import { median } from '../lib/paired.mjs';
import { keep } from '../lib/results.mjs';
import { prepare, startServer } from '../lib/servers.mjs';
import { fill } from '../lib/stored.mjs';
import { logIn } from './requests.mjs';

const { rounds = 7, ms = 500, count = 1_000_000 } = options;
const FEW = 1_000;
const LISTS = {
  'all pets': '/v1/pet?',
  'by owner_id': '/v1/pet?owner_id=o-1&',
  'by species': '/v1/pet?species=dog&',
  'by breed': '/v1/pet?breed=Beagle&',
  'by status': '/v2/pet/findByStatus?status=sold&',
  'by tags': '/v2/pet/findByTags?tags=calm&',
};

async function startFilled(rows) {
  const empty = await startServer('product');
  const headers = await logIn(empty);
  await empty.stop();
  fill(empty.file, rows);
  const server = await startServer('product', { file: empty.file });
  const requests = {
    'pet by id': () => http('GET', `/v1/pet/${1 + Math.floor(Math.random() * rows)}`),
    'oneself, by token': () => http('GET', '/v2/user/tess', { headers }),
  };
  for (const [name, path] of Object.entries(LISTS)) {
    const first = http('GET', `${path}limit=100`);
    const late = http('GET', await latePage(server, `${path}limit=100`));
    requests[`${name}, first page`] = () => first;
    requests[`${name}, thousandth page`] = () => late;
  }
  return { server, requests };
}

/** The thousandth page, or the last whole one where there are not so many. */
async function latePage({ port }, first) {
  let path = first;
  for (let page = 1; page < 1_000; page++) {
    const { head } = await call(port, http('GET', path));
    const next = /\r\nlink: <([^>]+)>/i.exec(head)?.[1];
    if (!next) {
      break;
    }
    const { text } = await call(port, http('GET', next));
    if (JSON.parse(text).length < 100) {
      break;
    }
    path = next;
  }
  return path;
}

prepare([]);
const few = await startFilled(FEW);
const many = await startFilled(count);
const measured = {};
const ratios = {};
for (const name of Object.keys(few.requests)) {
  const run = async ({ server, requests }, duration = ms) => {
    const cpu = server.cpuMs();
    const { done } = await load({
      port: server.port,
      connections: 16,
      ms: duration,
      status: 200,
      requestOf: requests[name],
    });
    return ((server.cpuMs() - cpu) * 1_000) / done;
  };
  await run(few, 1_000);
  await run(many, 1_000);
  measured[name] = [];
  for (let round = 0; round < rounds; round++) {
    const pair = {};
    for (const size of round % 2 === 0 ? ['few', 'many'] : ['many', 'few']) {
      pair[size] = await run(size === 'few' ? few : many);
    }
    measured[name].push(pair);
  }
  ratios[name] = median(measured[name].map(({ few, many }) => many / few));
  console.log(`${name}: CPU of a request at ${count} rows ÷ at ${FEW}: ${ratios[name].toFixed(2)}`);
}
await Promise.all([few.server.stop(), many.server.stop()]);
keep('flat', { rounds, ms }, measured);
