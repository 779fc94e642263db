// Many slow clients (slowhttptest, from Debian) of three kinds beside one ordinary client: what does that one notice?
//   apt-get install slowhttptest
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { json, start, temporaryFolder } from '../../test/support/built-service.mjs';

const CONNECTIONS = '1000';
const SECONDS = '25';

const folder = temporaryFolder((remove) => process.once('exit', remove));
const service = await start({
  DATABASE_URL: `sqlite:${folder}/slow.sqlite`,
  METRICS_PORT: '0',
  REQUEST_TIMEOUT_MS: '15000',
});
const metricsUrl = /Metrics on (http:\S+?)"/.exec(service.log())[1];

const kinds = {
  'no slow client': null,
  'slow headers': ['-H', '-i', '2', '-u', `${service.url}/v1/pet`],
  'slow body': ['-B', '-i', '2', '-s', '8192', '-f', 'application/json', '-u', `${service.url}/v1/pet`],
  'slow read': ['-X', '-k', '10', '-n', '5', '-w', '1', '-y', '16', '-z', '1', '-u', `${service.url}/openapi.json`],
};

const openRequests = async () => /^http_requests_open (\d+)/m.exec(await (await fetch(metricsUrl)).text())[1];

for (const [kind, options] of Object.entries(kinds)) {
  const attack =
    options && spawn('slowhttptest', ['-c', CONNECTIONS, '-r', '200', '-l', SECONDS, '-p', '5', ...options]);
  attack?.stdout.resume();
  const over = attack ? once(attack, 'exit') : sleep(5_000);
  const times = [];
  let failed = 0;
  let open = 0;
  let going = true;
  const ended = over.then(([code] = [0]) => {
    going = false;
    if (code !== 0) throw new Error(`slowhttptest ended with ${code}`);
  });
  while (going) {
    const began = performance.now();
    const answer = await fetch(`${service.url}/v1/pet`, { method: 'POST', ...json({ name: 'Rex' }) }).catch(() => null);
    times.push(performance.now() - began);
    failed += answer?.status === 201 ? 0 : 1;
    open = Math.max(open, Number(await openRequests()));
    await sleep(20);
  }
  await ended;
  times.sort((a, b) => a - b);
  const quantile = (q) => times[Math.floor(times.length * q)].toFixed(1);
  console.log(
    `${kind}: ${times.length} requests, ${failed} failed, p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms, ` +
      `at most ${open} requests open, then ${await openRequests()}`,
  );
}
console.log(await service.stop());
