// Creations and updates a second with one, two and four processes on one PostgreSQL, against our previous release, whose
// bulks took turns at one row of the whole database. All share two cores with the server and with whoever asks.
import { options } from '../lib/options.mjs';
import { call, http, load } from '../lib/load.mjs';
import { median } from '../lib/paired.mjs';
import { keep } from '../lib/results.mjs';
import { prepare, startServer } from '../lib/servers.mjs';
import { PostgresCluster } from '../../test/support/postgres-cluster.mjs';
import { query } from '../../test/support/server-database.mjs';
import { logIn, NEW_PET } from './requests.mjs';

const { rounds = 5, ms = 2_000 } = options;
const PROCESSES = [1, 2, 4];
const VARIANTS = ['product', 'previous'];
const BULK = 10;
const CONNECTIONS = 64;

let users = 0;
const newUsers = () =>
  http('POST', '/v2/user/createWithList', {
    body: Array.from({ length: BULK }, () => ({ username: `user-${users++}`, firstName: 'Tess' })),
  });
const update = ({ pets, headers }, connection, n) =>
  http('PUT', '/v2/pet', { body: { id: pets[connection], name: `Max ${n}`, photoUrls: [] }, headers });
const LOADS = {
  'pets, 64 connections': { connections: CONNECTIONS, status: 201, requestOf: () => NEW_PET },
  'updates, 64 connections': { connections: CONNECTIONS, status: 200, requestOf: update },
  'bulks of 10 users, 16 connections': { connections: 16, status: 200, requestOf: newUsers },
};

prepare(VARIANTS);
const cluster = await PostgresCluster.start();
const measured = {};
try {
  for (const processes of PROCESSES) {
    const servers = [];
    for (const name of VARIANTS) {
      const database = `${name}_${processes}`;
      await query(cluster.url, `CREATE DATABASE ${database}`);
      const settings = {
        DATABASE_URL: cluster.url.replace(/postgres$/, database),
        WEB_CONCURRENCY: String(processes),
        LOG_LEVEL: 'error',
      };
      servers.push(await readied(await startServer(name, { cores: '0,1', settings })));
    }
    for (const [what, ask] of Object.entries(LOADS)) {
      const rates = VARIANTS.map(() => []);
      for (let round = -1; round < rounds; round++) {
        for (const [n, server] of servers.entries()) {
          const requestOf = (connection, sent) => ask.requestOf(server, connection, sent);
          const { done, ms: took } = await load({ ...ask, port: server.port, ms, requestOf });
          // The first round is for warming up.
          if (round >= 0) rates[n].push(Math.round((done * 1_000) / took));
        }
      }
      const gain = median(rates[0].map((rate, round) => rate / rates[1][round]));
      console.log(
        `${processes} processes, ${what}: ${median(rates[0])}/s, previously ${median(rates[1])}/s, ×${gain.toFixed(2)}`,
      );
      measured[`${processes} processes, ${what}`] = Object.fromEntries(VARIANTS.map((name, n) => [name, rates[n]]));
    }
    await Promise.all(servers.map((server) => server.stop()));
  }
  keep('processes', { rounds, ms }, measured);
} finally {
  await cluster.stop();
}

/** With a user's token and a pet for each connection. */
async function readied(server) {
  const pets = [];
  for (let n = 0; n < CONNECTIONS; n++) {
    pets.push(JSON.parse((await call(server.port, NEW_PET, 201)).text).id);
  }
  return { ...server, pets, headers: await logIn(server) };
}
