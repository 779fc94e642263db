// Collections of requests go from create to delete with their own runners, and so does the README's walk with curl.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import newman from 'newman';
import { convert } from 'openapi-to-postmanv2';
import { start, temporaryFolder } from '../test/support/built-service.mjs';

const here = import.meta.dirname;
const PHOTO = `${here}/../docs/docs-page-dark.png`;
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

test('every request that Postman imports from the document is understood as it stands', async (t) => {
  const url = await service(t);
  const token = await tokenOf(url);
  const source = { type: 'string', data: readFileSync(`${here}/../openapi-3.0.json`, 'utf8') };
  const options = { parametersResolution: 'Example', requestParametersResolution: 'Example', folderStrategy: 'Tags' };
  const { output, reason } = await promisify(convert)(source, options);
  const collection = output?.[0]?.data ?? assert.fail(reason);
  const requests = requestsIn(collection).filter(({ name }) => !/^(Log out|Delete oneself)$/.test(name));
  for (const { request } of requests) {
    const inForm = request.body?.formdata?.map(({ key }) => key) ?? [];
    // Only the page before can give a cursor, and the importer makes one up; what is in the form is not sent twice.
    request.url.query = request.url.query.filter(({ key }) => key !== 'cursor' && !inForm.includes(key));
    request.body?.formdata?.filter(({ type }) => type === 'file').forEach((part) => (part.src = PHOTO));
  }
  const envVar = [{ key: 'baseUrl', value: url }].concat({ key: 'bearerToken', value: token });
  const { run: ran } = await promisify(newman.run)({ collection: { ...collection, item: requests }, envVar });
  const refused = ran.executions
    .filter(({ response }) => ![200, 201, 304, 404, 409].includes(response?.code))
    .map(({ item, response }) => `${item.name}: ${response?.code} ${response?.text()}`);
  assert.deepEqual(refused, []);
  assert.equal(ran.executions.length, requests.length);
});

test('the walk in the README answers what it says', async (t) => {
  const url = await service(t);
  const readme = readFileSync(`${here}/../README.md`, 'utf8');
  const [, walk] = /## A walk through\n\n```sh\nAPI=\S+\n(.*?)```/s.exec(readme) ?? assert.fail('no walk');
  const options = { cwd: `${here}/..`, env: { PATH: process.env.PATH, API: url }, timeout: 60_000 };
  const { stdout } = await run('sh', ['-c', walk], options);
  const statuses = [...stdout.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
  const asked = walk.split('\n').filter((line) => line.startsWith('curl -i'));
  assert.deepEqual(
    statuses,
    asked.map((line) => Number(/# (40\d)/.exec(line)?.[1] ?? (/v1\/pet --json/.test(line) ? 201 : 200))),
  );
});

const requestsIn = ({ item, ...rest }) => (item ? item.flatMap(requestsIn) : [rest]);

async function tokenOf(url) {
  const user = { username: 'tess', password: 'correct horse' };
  const send = (path) =>
    fetch(url + path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(user) });
  await send('/v2/user');
  return (await send('/v2/user/login')).json();
}
