import { Metrics } from '../src/platform/metrics';
import { startApp, tokenFor, type RunningApp } from './support/start-app';

let running: RunningApp;
let metrics: () => Promise<string>;
beforeEach(async () => {
  running = await startApp();
  metrics = running.app.get(Metrics, { strict: false }).expose();
});
afterEach(() => running.stop());

/** The value of a series, as `name{labels}`; the order of the labels is that of the text. */
const value = async (series: string) => {
  const line = (await metrics()).split('\n').find((known) => known.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
};
const count = (labels: string) => value(`http_request_duration_seconds_count{${labels}}`);

it('counts requests by method, template of the route and status, and never by URL', async () => {
  await tokenFor(running);
  await running.http.get('/v2/user/login?username=tess&password=canary').expect(401);
  await running.http.get('/canary').expect(404);
  expect(await count('method="GET",route="/v2/user/login",status="200"')).toBe(1);
  expect(await count('method="GET",route="/v2/user/login",status="401"')).toBe(1);
  expect(await count('method="GET",route="none",status="404"')).toBe(1);
  expect(await metrics()).not.toContain('canary');
});

it('counts units and the transactions that they shared', async () => {
  const before = await Promise.all([value('database_units_total'), value('database_commits_total')]);
  await Promise.all(Array.from({ length: 20 }, () => running.database.write((manager) => manager.query('SELECT 1'))));
  const after = await Promise.all([value('database_units_total'), value('database_commits_total')]);
  expect(after[0]! - before[0]!).toBe(20);
  expect(after[1]! - before[1]!).toBeGreaterThan(0);
});

it('shows what waits for the database and for hashes', async () => {
  expect(await value('database_units_waiting')).toBe(0);
  expect(await value('login_hashes_waiting')).toBe(0);
  const users = Array.from({ length: 200 }, (_, n) => ({ username: `u${n}`, password: 'p' }));
  const bulk = running.http.post('/v2/user/createWithList').send(users).expect(200);
  const pending = bulk.then((answer) => answer);
  let most = 0;
  const watching = setInterval(() => void value('bulk_hashes_waiting').then((now) => (most = Math.max(most, now!))), 1);
  await pending;
  clearInterval(watching);
  expect(most).toBeGreaterThan(0);
});

it('shows the delay of the event loop, memory and processor time', async () => {
  for (const series of [
    'nodejs_eventloop_lag_p99_seconds',
    'process_resident_memory_bytes',
    'process_cpu_seconds_total',
  ]) {
    expect(await value(series)).toBeGreaterThan(0);
  }
});
