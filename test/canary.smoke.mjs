// A password and a token go through every operation of the built service, and must be found nowhere afterwards.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { start as startBuilt, temporaryFolder } from './support/built-service.mjs';

const { Sqlite } = createRequire(import.meta.url)('../dist/platform/database/sqlite/driver.js');

const folder = temporaryFolder(after);
const start = () =>
  startBuilt({ DATABASE_URL: `sqlite:${folder}/canary.sqlite`, LOG_LEVEL: 'debug', METRICS_PORT: '0' });

const PASSWORD = `canary${randomBytes(12).toString('hex')}`;
const INVENTED_TOKEN = `pus_${randomBytes(32).toString('base64url')}`;

const asJson = { 'Content-Type': 'application/json' };
const user = (username, more = {}) => ({ username, password: PASSWORD, ...more });
const bearer = (token) => ({ Authorization: `Bearer ${token}` });

/** Every operation, with what it can go wrong by: method, path, headers, body. */
function requests(token, name) {
  const login = (query) => ['GET', `/v2/user/login?${query}`];
  const post = (path, body, headers) => ['POST', path, { ...asJson, ...headers }, body];
  const put = (headers, body, query = '') => ['PUT', `/v2/pet${query}`, { ...asJson, ...headers }, body];
  const pet = JSON.stringify({ id: 1, name: 'Max', photoUrls: [] });
  return [
    ...['createWithList', 'createWithArray'].flatMap((operation, n) => {
      const path = `/v2/user/${operation}`;
      return [
        post(path, JSON.stringify([user(`${name}${n}`)])),
        post(path, JSON.stringify([user(`${name}${n}`)])), // taken
        post(path, JSON.stringify([user(`${name}x`, { id: 5, email: { [PASSWORD]: PASSWORD } })])),
        post(path, JSON.stringify([user(`${name}x`, { password: PASSWORD.repeat(100) })])),
        post(path, JSON.stringify([user(`${name}x`, { password: [PASSWORD] })])),
        post(path, JSON.stringify(user('no array'))),
        post(path, `[{"password":"${PASSWORD}"`),
        post(path, JSON.stringify([user('x')]), { 'Content-Type': 'text/plain' }),
        post(path, JSON.stringify([user('x')]), { 'Content-Encoding': 'gzip' }),
        post(path, JSON.stringify(Array(40_000).fill(user('x')))),
        post(`${path}?password=${PASSWORD}`, '[]', bearer(token)),
      ];
    }),
    login(`username=${name}0&password=${PASSWORD}`),
    login(`username=nobody&password=${PASSWORD}`),
    login(`username=${name}0&password=${PASSWORD}wrong`),
    login(`username=${name}0&password=${PASSWORD}&password=${PASSWORD}`),
    login(`username=${name}0&password=${PASSWORD}%`),
    login(`password=${PASSWORD}`),
    ['POST', `/v2/user/login?username=${name}0&password=${PASSWORD}`],
    ['OPTIONS', `/v2/user/login?username=${name}0&password=${PASSWORD}`],
    ['GET', `/v2/user/nothing/${PASSWORD}?password=${PASSWORD}`],
    post('/v1/pet', JSON.stringify({ name: 'Rex', password: PASSWORD }), bearer(token)),
    post('/v1/pet', JSON.stringify({ name: '', [PASSWORD]: token })),
    put(bearer(token), pet),
    put(bearer(token), JSON.stringify({ id: 1, name: '', photoUrls: [], password: PASSWORD })),
    put(bearer(token), JSON.stringify({ id: 0, password: PASSWORD })),
    put(bearer(`${token}x`), pet),
    put(bearer(INVENTED_TOKEN), pet),
    put({}, pet, `?access_token=${token}`),
    put({ Authorization: `Basic ${PASSWORD}` }, pet),
    put({ Authorization: `Bearer ${token} ${PASSWORD}` }, pet),
    put({ Cookie: `session=${token}` }, pet),
    ['GET', '/v2/user/logout', { Cookie: `session=${INVENTED_TOKEN}` }],
    ['GET', '/health/ready', bearer(token)],
  ];
}

/** Answers what every request was answered; of a successful log-in all but the token. */
async function send(url, list) {
  const statuses = new Set();
  let seen = '';
  for (const [method, path, headers = {}, body] of list) {
    const answer = await fetch(url + path, { method, headers, body });
    statuses.add(answer.status);
    const isLogIn = path.startsWith('/v2/user/login') && answer.status === 200;
    const shown = [...answer.headers].filter(([header]) => !(isLogIn && header === 'set-cookie'));
    seen += `${JSON.stringify(shown)}${isLogIn ? '' : await answer.text()}\n`;
  }
  return { seen, statuses };
}

/** What is not HTTP, and what is too long: answered before any of our code sees a request. */
const sendRaw = (url, text) =>
  new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(+new URL(url).port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (chunk) => (answer += chunk));
    socket.once('close', () => resolve(answer)).once('error', reject);
  });

const garbage = (token) => [
  `GARBAGE ${PASSWORD} ${token}\r\n\r\n`,
  `GET /v2/user/login?password=${PASSWORD} HTTP/1.1\r\nHost: a\r\nbad header ${PASSWORD}\r\n\r\n`,
  `PUT /v2/pet HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}${'x'.repeat(20_000)}\r\n\r\n`,
];

async function logIn(url, name) {
  const answer = await fetch(`${url}/v2/user/login?username=${name}&password=${PASSWORD}`);
  assert.equal(answer.status, 200);
  return answer.json();
}

/** The metrics, from the port that the log tells. */
async function metricsOf(server) {
  const { port } = new URL(/http:\S+\/metrics/.exec(server.log())[0]);
  return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
}

const files = () => Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))));

function assertAbsent(where, text, secrets) {
  const bytes = Buffer.from(text);
  for (const secret of secrets) {
    for (const form of [
      secret,
      Buffer.from(secret).toString('base64').slice(2, -4),
      Buffer.from(secret).toString('hex'),
    ]) {
      assert.equal(
        bytes.indexOf(form),
        -1,
        `${where} holds a secret: …${bytes
          .subarray(bytes.indexOf(form) - 80)
          .toString('latin1')
          .slice(0, 200)}`,
      );
    }
  }
}

/** From now on the database refuses to store anything in its tables. */
function breakDatabase() {
  const database = new Sqlite(join(folder, 'canary.sqlite'));
  for (const table of ['pet', 'user', 'session', 'login_failures']) {
    for (const change of ['INSERT', 'UPDATE', 'DELETE']) {
      database.exec(`CREATE TRIGGER "no_${change}_${table}" BEFORE ${change} ON "${table}"
        BEGIN SELECT RAISE(ABORT, 'forced error'); END`);
    }
  }
  database.close();
}

test('no password and no token is in a log line, an answer, a header or a byte of the database', async () => {
  const healthy = await start();
  await fetch(`${healthy.url}/v2/user/createWithList`, {
    method: 'POST',
    headers: asJson,
    body: JSON.stringify([user('first')]),
  });
  const token = String(await logIn(healthy.url, 'first'));
  const secrets = [PASSWORD, token, INVENTED_TOKEN, token.slice(4), INVENTED_TOKEN.slice(4)];
  const good = await send(healthy.url, requests(token, 'visible-name'));
  good.seen += (await Promise.all(garbage(token).map((text) => sendRaw(healthy.url, text)))).join('\n');
  assert.deepEqual([...good.statuses].sort(), [200, 201, 204, 400, 401, 404, 405, 409, 413, 415]);
  assertAbsent('The database in use', files(), secrets);
  const metrics = await metricsOf(healthy);
  await healthy.stop();

  breakDatabase();
  const broken = await start();
  const bad = await send(broken.url, requests(token, 'other-name'));
  assert.ok(bad.statuses.has(500));
  assertAbsent('The metrics', metrics + (await metricsOf(broken)), secrets);
  await broken.stop();

  const logs = healthy.log() + broken.log();
  assertAbsent('An answer', good.seen + bad.seen, secrets);
  assertAbsent('The log', logs, secrets);
  assertAbsent('The database', files(), secrets);

  // The search would have found something: what may be seen is there.
  assert.match(logs, /"level":"debug"/);
  assert.match(logs, /forced error/);
  assert.match(metrics, /route="\/v2\/user\/login"/);
  assert.match(good.seen, /"\/0\/username"/);
  assert.ok(files().includes('visible-name0') && files().includes('$argon2id$'));
  assert.ok(!logs.includes('$argon2id$') && !(good.seen + bad.seen).includes('$argon2id$'));
});
