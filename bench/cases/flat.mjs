// Does it matter how much is stored? The same requests to two services in turn, one with 1,000 pets, users and
// sessions, the other with 1,000,000 of each.
import { call, http } from '../lib/load.mjs';
import { options } from '../lib/options.mjs';
import { median, run, warmUp } from '../lib/paired.mjs';
import { keep } from '../lib/results.mjs';
import { leaveServerCore, prepare, startServer } from '../lib/servers.mjs';
import { fill, untagged } from '../lib/stored.mjs';
import { logIn, NEW_PET } from './requests.mjs';

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

const one = (rows) => Math.floor(Math.random() * rows);
const ask = (status, requestOf) => ({
  connections: 16,
  status,
  requestOf: ({ state }, connection, n) => requestOf(state, n),
});
let users = 0;
const newUser = () => http('POST', '/v2/user/createWithList', { body: [{ username: `new-${users++}` }] });
/** One without tags, to which nothing but its name is new: each update is the same work, be it the first of its pet or not. */
const update = ({ rows, headers }, n) => {
  const id = untagged.id(one(untagged.of(rows)));
  return http('PUT', '/v2/pet', { body: { id, name: `Max ${n}`, photoUrls: [], status: 'available' }, headers });
};
// What adds rows comes last.
const CASES = {
  'pet by id': ask(200, ({ rows }) => http('GET', `/v1/pet/${1 + one(rows)}`)),
  'oneself, by token': ask(200, ({ headers }) => http('GET', '/v2/user/tess', { headers })),
  ...Object.fromEntries(
    Object.entries(LISTS).flatMap(([name, path]) => [
      [`${name}, first page`, ask(200, () => http('GET', `${path}limit=100`))],
      [`${name}, thousandth page`, ask(200, ({ late }) => http('GET', late[name]))],
    ]),
  ),
  'update a pet': ask(200, update),
  'create a pet': ask(201, () => NEW_PET),
  'create a user without a password': ask(200, newUser),
};

async function startFilled(rows) {
  const empty = await startServer('product');
  const headers = await logIn(empty);
  await empty.stop();
  fill(empty.file, rows);
  const server = await startServer('product', { file: empty.file });
  const late = {};
  for (const [name, path] of Object.entries(LISTS)) {
    late[name] = await latePage(server, `${path}limit=100`);
  }
  return { server, acknowledged: 0, state: { rows, headers, late } };
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

leaveServerCore();
prepare([]);
const few = await startFilled(FEW);
const many = await startFilled(count);
const measured = {};
for (const [name, benchCase] of Object.entries(CASES)) {
  await warmUp(few, benchCase);
  await warmUp(many, benchCase);
  measured[name] = [];
  for (let round = 0; round < rounds; round++) {
    const pair = {};
    for (const subject of round % 2 === 0 ? [few, many] : [many, few]) {
      pair[subject === few ? 'few' : 'many'] = (await run(subject, benchCase, ms)).cpuUs;
    }
    measured[name].push(pair);
  }
  const ratio = median(measured[name].map(({ few, many }) => many / few));
  console.log(`${name}: CPU of a request at ${count} rows ÷ at ${FEW}: ${ratio.toFixed(2)}`);
}
await Promise.all([few.server.stop(), many.server.stop()]);
keep('flat', { rounds, ms }, measured);
