// The memory after many requests: creations, updates and reads in turn.
import { http, load } from '../lib/load.mjs';
import { options } from '../lib/options.mjs';
import { keep } from '../lib/results.mjs';
import { prepare, startServer } from '../lib/servers.mjs';
import { logIn, NEW_PET } from './requests.mjs';

const { count = 1_000_000 } = options;
const SAMPLES = 20;
const CONNECTIONS = 64;

prepare([]);
const server = await startServer('product');
const headers = await logIn(server);
await load({ port: server.port, connections: 16, count: CONNECTIONS, status: 201, requestOf: () => NEW_PET });
const PUT = Array.from({ length: CONNECTIONS }, (_, n) =>
  http('PUT', '/v2/pet', { body: { id: n + 1, name: 'Max', photoUrls: [], status: 'sold' }, headers }),
);
const WORK = [
  { status: 201, requestOf: () => NEW_PET },
  { status: 200, requestOf: (connection) => PUT[connection] },
  { status: 200, requestOf: (connection) => http('GET', `/v1/pet/${connection + 1}`) },
];
const measured = [{ requests: 0, rssMiB: server.rssMiB() }];
for (let sample = 1; sample <= SAMPLES; sample++) {
  for (const work of WORK) {
    await load({
      port: server.port,
      connections: CONNECTIONS,
      count: Math.ceil(count / SAMPLES / WORK.length),
      ...work,
    });
  }
  measured.push({ requests: Math.round((count * sample) / SAMPLES), rssMiB: server.rssMiB() });
  console.log(`${measured.at(-1).requests} requests: ${Math.round(measured.at(-1).rssMiB)} MiB`);
}
await server.stop();
keep('memory', {}, { product: measured });
