// The recipe of docs/tracing.cjs, with a collector of our own at the other end.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { json, start, temporaryFolder } from './support/built-service.mjs';

const folder = temporaryFolder(after);
let received = '';
const collector = createServer(async (req, res) => {
  received += await text(req);
  res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
});
after(() => collector.close());

test('preloaded, OpenTelemetry gets a span of every request, and none carries a query string', async () => {
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const settings = {
    DATABASE_URL: `sqlite:${folder}/traced.sqlite`,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (collector.address()).port}`,
    OTEL_SERVICE_NAME: 'pet-user-service',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  };
  const service = await start(settings, ['--require', './docs/tracing.cjs']);
  await fetch(`${service.url}/v1/pet`, { method: 'POST', ...json({ name: 'Rex' }) });
  await fetch(`${service.url}/v2/user/login?username=tess&password=canary`);
  await fetch(`${service.url}/health/live`);
  while (!received.includes('/v2/user/login')) await sleep(20);
  await service.stop();
  for (const expected of ['"pet-user-service"', '"/v1/pet"', '"/v2/user/login"', '201', '401']) {
    assert.ok(received.includes(expected), `${expected} is missing`);
  }
  assert.doesNotMatch(received, /canary|username=|url\.query|health/);
});

test('an agent that hooks into require is asked for express, pg and http', () => {
  const hook = `${folder}/hook.cjs`;
  writeFileSync(
    hook,
    `const { prototype } = require('node:module');
    const { require: load } = prototype;
    const asked = new Set();
    prototype.require = function (id) {
      asked.add(id.replace('node:', ''));
      return load.call(this, id);
    };
    process.on('exit', () => console.error('asked for ' + JSON.stringify([...asked])));`,
  );
  // It ends by itself: nothing listens there.
  const DATABASE_URL = 'postgres://nobody@127.0.0.1:1/none';
  const { stderr } = spawnSync(process.execPath, ['--require', hook, 'dist/main.js'], {
    env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', DATABASE_URL },
    encoding: 'utf8',
  });
  const asked = JSON.parse(/^asked for (.*)$/m.exec(stderr)?.[1] ?? '[]');
  assert.deepEqual(
    ['express', 'pg', 'http'].filter((name) => !asked.includes(name)),
    [],
    stderr,
  );
});
