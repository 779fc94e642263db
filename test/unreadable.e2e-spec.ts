import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { countAsked, holdUntil } from './support/asked-database';
import { Connection } from './support/connection';
import { exchange } from './support/exchange';
import { hold } from './support/hold';
import { startApp, tokenFor, type RunningApp } from './support/start-app';
import { until } from './support/until';

let running: RunningApp;
beforeAll(async () => {
  running = await startApp();
  await tokenFor(running);
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => running.stop());

const HOST = 'Host: localhost\r\n';
const GET = (target: string, headers = HOST) => `GET ${target} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`;
const PET = `POST /v1/pet HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n`;
const lastProblem = (answer: string) => JSON.parse(answer.split('\r\n\r\n').at(-1)!) as Record<string, unknown>;

it.each([
  ['an unknown method', `FOO /v1/pet HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['a space in the address', `GET /v1 /pet HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['another version', `GET /v1/pet HTTP/3.9\r\n${HOST}\r\n`, 400],
  ['the next version', `GET /v2/user/logout HTTP/2.0\r\n${HOST}Connection: close\r\n\r\n`, 400],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['a tunnel', `CONNECT localhost:1 HTTP/1.1\r\n${HOST}\r\n`, 400],
  ['U+0000 in a header', `GET /v1/pet HTTP/1.1\r\n${HOST}X: a\0b\r\n\r\n`, 400],
  ['two lengths', `${PET}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, 400],
  ['a length beside chunks', `${PET}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
  ['a broken chunk', `${PET}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 400],
  ['a long header', `GET /v1/pet HTTP/1.1\r\n${HOST}X: ${'a'.repeat(16_384)}\r\n\r\n`, 431],
  ['a long address', `GET /v1/pet?${'a'.repeat(16_384)} HTTP/1.1\r\n${HOST}\r\n`, 431],
  ['many headers', `GET /v1/pet HTTP/1.1\r\n${HOST}${'X: aaaaaaaaaaaa\r\n'.repeat(2_000)}\r\n`, 431],
  ['a long chunk extension', `${PET}Transfer-Encoding: chunked\r\n\r\n2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`, 413],
  ['HTTP/1.0 with chunks', `${PET.replace('1.1', '1.0')}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
  ['an unknown transfer coding', `${PET}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, 501],
  ['chunks in two lines', `${PET}Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 501],
  ['chunks in chunks', `${PET}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n`, 400],
  ['an end that no coding shows', `${PET}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`, 400],
  ['no Host', GET('/v2/user/logout', ''), 400],
  ['two Hosts', GET('/v2/user/logout', HOST + HOST), 400],
  ['a second Host behind 2,000 headers', GET('/v2/user/logout', `${HOST}${'a:\r\n'.repeat(2_000)}${HOST}`), 400],
  ...['a b/c@d', 'a/b', 'u@a', 'a:b', 'a:80:80', '[::1', '[1.2.3.4]', '::1', 'a\\b', 'a?b', 'a#b', '\xe9', '%zz'].map(
    (host): [string, string, number] => [`Host: ${host}`, GET('/v2/user/logout', `Host: ${host}\r\n`), 400],
  ),
  ...['/v2/user/logout#a', '/v2\\user', '/v2/user/logout?a#b', 'ftp://a/v2/user/logout', 'a:b', '*'].map(
    (target): [string, string, number] => [`the target ${target}`, GET(target), 400],
  ),
  ...['http://u@a/v2/user/logout', 'http:///v2/user/logout', 'http://a:b/v2/user/logout', 'http://?a'].map(
    (target): [string, string, number] => [`the target ${target}`, GET(target), 400],
  ),
])('answers a problem to %s and closes', async (_, bytes, status) => {
  const answer = await exchange(running.url, bytes);
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*Connection: close`, 's'));
  const { requestId, ...problem } = lastProblem(answer);
  expect(answer).toContain(`X-Request-Id: ${String(requestId)}`);
  expect(problem).toEqual({ type: expect.any(String), title: expect.any(String), status, detail: expect.any(String) });
});

it('answers 408 to a request that does not arrive in time', async () => {
  const server = running.app.getHttpServer() as Server;
  server.once('connection', (socket: Socket) =>
    socket.once('data', () =>
      server.emit('clientError', Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket),
    ),
  );
  expect(lastProblem(await exchange(running.url, 'GET /v1'))).toMatchObject({ type: '/problems/request-timeout' });
});

it('takes exactly one Host, and in HTTP/1.0 none', async () => {
  expect(await exchange(running.url, GET('/v2/user/logout'))).toMatch(/^HTTP\/1\.1 200 /);
  const old = GET('/v2/user/logout', '').replace('1.1', '1.0');
  expect(await exchange(running.url, old)).toMatch(/^HTTP\/1\.1 200 .*Content-Length: 0\r\n/s);
});

it.each(['a', 'a:80', 'a:', '', 'A.b-c_d~e', 'xn--fiq', '127.0.0.1:3000', '[::1]', '[2001:db8::1]:80', 'a%20b', 'a;b'])(
  'takes the Host %j',
  async (host) => {
    const answer = await exchange(running.url, GET('/v2/user/logout', `Host: ${host}\r\n`));
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  },
);

it.each(['http://b/v2/user/logout', 'HTTP://b:1/v2/user/logout?a', 'https://[::1]:1/v2/user/logout'])(
  'takes the target %s, whatever the Host',
  async (target) => expect(await exchange(running.url, GET(target))).toMatch(/^HTTP\/1\.1 200 /),
);

it('owes a whole request its own answer, whatever bytes follow', async () => {
  const answer = await exchange(running.url, `${PET}Content-Length: 14\r\n\r\n{"name":"Rex"}\0garbage\r\n\r\n`);
  expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 400']);
});

it('owes every whole request of a pipeline its own answer, in order, before it refuses what follows', async () => {
  const pet = `${PET}Content-Length: 14\r\n\r\n{"name":"Rex"}`;
  const users = pet.replace('/v1/pet', '/v2/user/createWithList').replace('{"name":"Rex"}', '[            ]');
  for (const [bad, status] of [
    ['\0garbage\r\n\r\n', 400],
    [`CONNECT a:1 HTTP/1.1\r\n${HOST}\r\n${pet}`, 400],
    [`${PET}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 400],
    [`${PET}X: ${'a'.repeat(17_000)}\r\n\r\n`, 431],
    [`${PET}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n${pet}`, 501],
  ] as const) {
    const before = await running.query('SELECT id FROM pet');
    const answer = await exchange(running.url, pet + users + pet + bad);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual([201, 200, 201, status].map((code) => `HTTP/1.1 ${code}`));
    expect(lastProblem(answer)).toMatchObject({ status });
    expect(await running.query('SELECT id FROM pet')).toHaveLength(before.length + 2);
  }
});

it('ignores offers of another protocol, and answers what follows them', async () => {
  const upgrade = `${HOST}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n`;
  const offer = `POST /v1/pet HTTP/1.1\r\n${upgrade}Content-Type: application/json\r\nContent-Length: 14\r\n\r\n`;
  const chunked = offer.replace('Content-Length: 14', 'Transfer-Encoding: chunked');
  const wanted = [
    ...[`${offer}{"name":"Rex"}`, `GET /v2/user/logout HTTP/1.1\r\n${upgrade}\r\n`],
    ...[`GET /docs/swagger-ui-bundle.js HTTP/1.1\r\n${HOST}\r\n`, `${chunked}e\r\n{"name":"Rex"}\r\n0\r\n\r\n`],
    ...[`GET /v2/user/logout HTTP/1.1\r\n${upgrade}\r\n`, GET('/health/live')],
  ];
  const statuses = [201, 200, 200, 201, 200, 200];
  const atOnce = await exchange(running.url, wanted.join(''));
  expect(atOnce.match(/HTTP\/1\.1 \d+ /g)).toEqual(statuses.map((status) => `HTTP/1.1 ${status} `));
  const client = await Connection.to(running.url);
  for (const [index, request] of wanted.entries()) {
    for (const byte of request) {
      await client.write(byte);
    }
    await client.answers(index + 1);
  }
  expect(client.statuses).toEqual(statuses);
});

it('still answers a client that sends on after it was refused', async () => {
  for (const [head, status] of [
    [`X: ${'a'.repeat(17_000)}\r\n`, 431],
    ['Transfer-Encoding: chunked\r\n\r\nzz\r\n', 400],
    [`Transfer-Encoding: gzip, chunked\r\n\r\n`, 501],
  ] as const) {
    const client = await Connection.to(running.url);
    client.pause();
    await client.write(PET + head);
    for (let count = 0; count < 20; count += 1) {
      void client.write('a'.repeat(65_536));
    }
    await setTimeout(100);
    client.resume();
    await client.closed();
    expect(client.statuses).toEqual([status]);
  }
});

it('says 100 Continue to who expects it, and ignores other expectations', async () => {
  const pet = (expectation: string) =>
    exchange(
      running.url,
      `${PET}Expect: ${expectation}\r\nConnection: close\r\nContent-Length: 14\r\n\r\n{"name":"Rex"}`,
    );
  expect(await pet('100-continue')).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /);
  expect(await pet('miracles')).toMatch(/^HTTP\/1\.1 201 /);
});

it.each([
  ['413 to a body that says it is too long', PET, 'Content-Length: 1048577', 413],
  ['401 to a stranger', PET.replace('POST /v1', 'PUT /v2'), 'Content-Length: 1048577', 401],
  ['415 to another type', PET.replace('json', 'xml'), 'Content-Length: 14', 415],
  ['415 to another coding', PET, 'Content-Length: 14\r\nContent-Encoding: lzw', 415],
  ['404 where nothing is', PET.replace('/v1', '/v3'), 'Content-Length: 14', 404],
  ['405 to another method', PET.replace('POST', 'DELETE'), 'Content-Length: 14', 405],
])('answers %s before anything of the body is sent, and closes', async (_, head, headers, status) => {
  const answer = await exchange(running.url, `${head}Expect: 100-continue\r\n${headers}\r\n\r\n`);
  expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`]);
  expect(answer).toContain('\r\nConnection: close\r\n');
});

it('answers once: a body that goes wrong after its answer ends the connection only', async () => {
  const head = PET.replace('/v1', '/v3');
  for (const rest of ['Content-Length: 9\r\n\r\n{', 'Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n']) {
    const client = await Connection.to(running.url);
    await client.write(head + rest);
    await client.answers(1);
    await (rest.startsWith('T') ? client.write('zz\r\n') : client.end());
    await client.closed();
    expect(client.statuses).toEqual([404]);
  }
});

it('answers OPTIONS for the whole service', async () => {
  const answer = await exchange(running.url, `OPTIONS * HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 204 .*\r\nAllow: (?=.*POST)(?=.*PUT)(?=.*GET).*OPTIONS\r\n/s);
});

it.each(['/v2/user/login?username=tess&password=right', '/v2/pet/1'])(
  'logs no error where GET %s is refused for the rest of its body while it is worked on',
  async (target) => {
    const logged = jest.spyOn(Logger.prototype, 'error');
    const { released, release } = hold();
    holdUntil(running.database, released);
    const asked = countAsked(running.database);
    const client = await Connection.to(running.url);
    await client.write(`GET ${target} HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n`);
    await until(() => asked() > 0);
    await client.write('zz\r\n');
    await client.answers(1);
    expect(client.statuses).toEqual([400]);
    release();
    await client.closed();
    await setTimeout(50);
    expect(logged).not.toHaveBeenCalled();
  },
);
