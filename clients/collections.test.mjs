// Collections of requests go from create to delete with their own runners, and so does the README's walk with curl.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { start, temporaryFolder } from '../test/support/built-service.mjs';

const here = import.meta.dirname;
const run = promisify(execFile);
const runner = (program, ...args) => run(`${here}/node_modules/.bin/${program}`, args, { cwd: here, timeout: 60_000 });

const folder = temporaryFolder(after);
let number = 0;
const service = async (t) => {
  const { url, stop } = await start({ DATABASE_URL: `sqlite:${folder}/${number++}.sqlite` });
  t.after(stop);
  return url;
};

test('the .http file passes with httpYac', async (t) => {
  const url = await service(t);
  const { stdout } = await runner('httpyac', 'send', 'walk.http', '--all', '--output', 'none', '--var', `API=${url}`);
  const [, requests, passed] = /(\d+) requests processed \((\d+) succeeded\)/.exec(stdout) ?? assert.fail(stdout);
  assert.equal(passed, requests);
});

test('the Postman collection passes with newman', async (t) => {
  const url = await service(t);
  await runner('newman', 'run', 'walk.postman_collection.json', '--env-var', `baseUrl=${url}`, '--bail');
});

test('the walk in the README answers what it says', async (t) => {
  const url = await service(t);
  const readme = readFileSync(`${here}/../README.md`, 'utf8');
  const [, walk] = /## A walk through\n\n```sh\nAPI=\S+\n(.*?)```/s.exec(readme) ?? assert.fail('no walk');
  const { stdout } = await run('sh', ['-c', walk], { env: { PATH: process.env.PATH, API: url }, timeout: 60_000 });
  const statuses = [...stdout.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
  const asked = walk.split('\n').filter((line) => line.startsWith('curl -i'));
  assert.deepEqual(
    statuses,
    asked.map((line) => Number(/# (40\d)/.exec(line)?.[1] ?? (/v1\/pet --json/.test(line) ? 201 : 200))),
  );
});
