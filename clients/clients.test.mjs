// Clients that were generated from documents go through the operations against the built service.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { start, temporaryFolder } from '../test/support/built-service.mjs';

const here = import.meta.dirname;
const run = (program, ...args) =>
  execFileSync(`${here}/node_modules/.bin/${program}`, args, {
    cwd: here,
    encoding: 'utf8',
    stdio: 'pipe',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });

const folder = temporaryFolder(after);
let service;
before(async () => {
  run('openapi-typescript', '../openapi.json', '-o', 'generated/service.d.ts');
  run('openapi-typescript', 'petstore-3.json', '-o', 'generated/petstore-3.d.ts');
  run('swagger-typescript-api', 'generate', '-p', 'petstore.json', '-o', 'generated', '-n', 'petstore.ts');
  run('tsc');
  service = await start({ DATABASE_URL: `sqlite:${folder}/clients.sqlite` });
});
after(() => service?.stop());

test('a client by openapi-typescript and openapi-fetch compiles strictly and does all operations', async () => {
  const { walk } = await import('./generated/js/walk.js');
  await walk(service.url);
});

test('a client of the public Petstore document 2.0 does all its operations for pets and users', async () => {
  const { petstoreWalk } = await import('./generated/js/petstore-walk.js');
  await petstoreWalk(service.url);
});

test('a client of the public Petstore document 3.0 does all its operations for pets and users', async () => {
  const { petstore3Walk } = await import('./generated/js/petstore-3-walk.js');
  await petstore3Walk(service.url);
});

test('a contract proxy finds nothing to report, and does report what is wrong', async (t) => {
  const port = await freePort();
  const args = ['proxy', '../openapi.json', service.url, '--port', String(port)];
  const prism = spawn(`${here}/node_modules/.bin/prism`, args, { cwd: here });
  t.after(() => prism.kill());
  await new Promise((resolve, reject) => {
    prism.stdout.on('data', (chunk) => String(chunk).includes('is listening') && resolve());
    prism.once('close', () => reject(new Error('the proxy ended')));
  });
  const violations = [];
  const watched = async (request) => {
    const answer = await fetch(request);
    const found = answer.headers.get('sl-violations');
    if (found) violations.push(`${request.method} ${request.url}: ${found}`);
    return answer;
  };
  const { walk } = await import('./generated/js/walk.js');
  // The proxy hands bytes on as text.
  await walk(`http://127.0.0.1:${port}`, watched, false);
  assert.deepEqual(violations, []);

  const bad = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"name":7}' };
  const answer = await watched(new Request(`http://127.0.0.1:${port}/v1/pet`, bad));
  assert.ok(violations.length > 0, `no violation for ${answer.status}`);
});

for (const edition of ['openapi.json', 'openapi-3.0.json']) {
  test(`${edition} passes the strict rules of Redocly without a warning`, () => {
    const options = ['--extends', 'recommended-strict', '--format', 'json'];
    const report = JSON.parse(run('redocly', 'lint', `../${edition}`, ...options));
    assert.deepEqual(report.totals, { errors: 0, warnings: 0, ignored: 0 });
  });
}

for (const edition of ['openapi.json', 'openapi-3.0.json']) {
  test(`${edition} passes Spectral's rules for OpenAPI without a hint`, () => {
    run('spectral', 'lint', `../${edition}`, '--ruleset', 'spectral.yaml', '--fail-severity', 'hint');
  });
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
