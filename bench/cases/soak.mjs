// Ten minutes of mixed work in a heap of 256 MB: does the memory stay flat? Writes docs/soak.svg.
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { options } from '../lib/options.mjs';
import { start, temporaryFolder } from '../../test/support/built-service.mjs';
import { lineChart } from '../lib/line-chart.mjs';

const MINUTES = options.minutes ?? 10;
const CLIENTS = 16;
const PAUSE_MS = 40;
const SAMPLE_EVERY_MS = 5_000;

const folder = temporaryFolder((remove) => process.once('exit', remove));
const settings = {
  DATABASE_URL: `sqlite:${folder}/soak.sqlite`,
  METRICS_PORT: '0',
  LOGIN_FAILURES_PER_ADDRESS: '1000000',
};
const service = await start(settings, ['--max-old-space-size=256']);
const metricsUrl = /Metrics on (http:\S+?)"/.exec(service.log())[1];
const agent = new Agent({ keepAlive: true });

function call(method, path, body, headers = {}) {
  return new Promise((resolve, reject) => {
    const options = { method, agent, headers: { 'Content-Type': 'application/json', ...headers } };
    const req = request(service.url + path, options, (res) => {
      let text = '';
      res.on('data', (chunk) => (text += chunk)).on('end', () => resolve({ status: res.statusCode, text }));
    });
    req.on('error', reject).end(body && JSON.stringify(body));
  });
}

const statuses = {};
const count = ({ status }) => (statuses[status] = (statuses[status] ?? 0) + 1);
const end = performance.now() + MINUTES * 60_000;

/** Creates users, logs in, creates and updates pets, makes mistakes, and logs out, over and over. */
async function client(number) {
  for (let round = 0; performance.now() < end; round++) {
    const username = `u-${number}-${round}`;
    const bulk = Array.from({ length: 5 }, (_, n) => (n === 0 ? { username, password: 'right' } : { firstName: 'x' }));
    count(await call('POST', '/v2/user/createWithList', bulk));
    count(await call('GET', `/v2/user/login?username=${username}&password=wrong`));
    const login = await call('GET', `/v2/user/login?username=${username}&password=right`);
    count(login);
    const bearer = login.status === 200 ? { Authorization: `Bearer ${JSON.parse(login.text)}` } : {};
    for (let n = 0; n < 10; n++) {
      const created = await call('POST', '/v1/pet', { name: 'Rex', species: 'dog' });
      count(created);
      const id = created.status === 201 ? JSON.parse(created.text).id : 1;
      count(await call('PUT', '/v2/pet', { id, name: 'Max', photoUrls: ['http://x/y'], status: 'sold' }, bearer));
      count(await call('PUT', '/v2/pet', { id, name: '', photoUrls: 5 }, bearer));
      await sleep(PAUSE_MS);
    }
    count(await call('GET', '/v2/user/logout', undefined, bearer));
  }
}

const samples = { rss: [], heap: [] };
const began = performance.now();
const sampling = setInterval(async () => {
  const text = await (await fetch(metricsUrl)).text();
  const megabytes = (name) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)[1]) / 2 ** 20;
  const minutes = (performance.now() - began) / 60_000;
  samples.rss.push([minutes, megabytes('process_resident_memory_bytes')]);
  samples.heap.push([minutes, megabytes('nodejs_heap_size_used_bytes')]);
}, SAMPLE_EVERY_MS);
await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
clearInterval(sampling);
const { code } = await service.stop();

const chart = {
  title: `Memory in ${MINUTES} minutes of mixed work, heap limited to 256 MB`,
  xLabel: 'minutes',
  yLabel: 'MB',
  series: [
    { name: 'resident', points: samples.rss },
    { name: 'heap in use', points: samples.heap },
  ],
};
writeFileSync(new URL('../../docs/soak.svg', import.meta.url), lineChart(chart));
const mean = (points) => Math.round(points.reduce((sum, [, value]) => sum + value, 0) / points.length);
for (const [name, points] of Object.entries(samples)) {
  const third = Math.floor(points.length / 3);
  console.log(
    `${name}: mean of the middle third ${mean(points.slice(third, 2 * third))} MB, last ${mean(points.slice(-third))} MB`,
  );
}
console.log('answers by status', statuses, 'exit code', code);
