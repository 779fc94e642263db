import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { exchange } from './support/exchange';
import { startApp, type RunningApp } from './support/start-app';

let running: RunningApp;
beforeAll(async () => (running = await startApp()));
afterAll(() => running.stop());

const HOST = 'Host: localhost\r\n';
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
  const get = (version: string, hosts: string) =>
    exchange(running.url, `GET /v2/user/logout HTTP/${version}\r\n${hosts}Connection: close\r\n\r\n`);
  expect(await get('1.1', HOST)).toMatch(/^HTTP\/1\.1 200 /);
  expect(await get('1.0', '')).toMatch(/^HTTP\/1\.1 200 .*Content-Length: 0\r\n/s);
  for (const hosts of ['', HOST + HOST]) {
    expect(lastProblem(await get('1.1', hosts))).toMatchObject({ type: '/problems/bad-request' });
  }
});

it('owes a whole request its own answer, whatever bytes follow', async () => {
  const answer = await exchange(running.url, `${PET}Content-Length: 14\r\n\r\n{"name":"Rex"}\0garbage\r\n\r\n`);
  expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 400']);
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

it('answers OPTIONS for the whole service', async () => {
  const answer = await exchange(running.url, `OPTIONS * HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 204 .*\r\nAllow: (?=.*POST)(?=.*PUT)(?=.*GET).*OPTIONS\r\n/s);
});
