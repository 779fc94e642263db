import type { AddressInfo } from 'node:net';
import { Logger } from '@nestjs/common';
import { systemClock } from '../src/platform/common/clock';
import { serveMetrics } from '../src/platform/metrics';
import { addressesOf, STANDARD_HEADERS, type Address } from './support/addresses';
import { Connection } from './support/connection';
import { exchange } from './support/exchange';
import { FailingModule } from './support/failing.module';
import { expectAlive, leaveRudely } from './support/rude-clients';
import { startApp, type RunningApp } from './support/start-app';

/*
 * No request ends the process: every address that the service answers, with every standard header; clients that leave;
 * failures that come when the handler has returned. In here an error that nobody hears fails the test.
 */

let running: RunningApp;
let addresses: Address[];
beforeAll(async () => {
  running = await startApp();
  addresses = await addressesOf(running.app, running.url);
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => running.stop());

const HEAD_OF_ANSWER = /HTTP\/1\.1 (?!100)\d+ [^]*?\r\n\r\n/;
const BODIES: Record<string, string> = { 'Content-Length: 1': 'x', 'Transfer-Encoding: chunked': '0\r\n\r\n' };

async function faultOf(url: string, { method, path }: Address, header: string): Promise<string[]> {
  const bytes = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${header}\r\n\r\n${BODIES[header] ?? ''}`;
  const answer = await exchange(url, bytes, HEAD_OF_ANSWER);
  const status = Number(/HTTP\/1\.1 (?!100)(\d+)/.exec(answer)?.[1] ?? 0);
  return status === 0 || (status >= 500 && status !== 501) ? [`${method} ${path} ${header}: ${status}`] : [];
}

async function faultsOf(url: string, address: Address): Promise<string[]> {
  const headers = Object.entries(STANDARD_HEADERS).flatMap(([name, values]) => values.map((one) => `${name}: ${one}`));
  return (await Promise.all(headers.map((header) => faultOf(url, address, header)))).flat();
}

it('knows the page, its files, and operations that no document shows', () => {
  const paths = addresses.map(({ method, path }) => `${method} ${path}`);
  expect(paths).toEqual(expect.arrayContaining(['GET /', 'HEAD /docs/page.css', 'GET /health/ready', 'PUT /v2/pet']));
});

it('answers every standard header at every address', async () => {
  for (const address of addresses) {
    expect(await faultsOf(running.url, address)).toEqual([]);
  }
}, 120_000);

it('outlives clients that leave at every address', async () => {
  const leave = async ({ method, path }: Address, wait: number) => {
    const client = await Connection.to(running.url);
    client.pause();
    await client.write(`${method} ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(2));
    setTimeout(() => client.reset(), wait);
    await client.closed();
  };
  await Promise.all(addresses.flatMap((address) => [0, 5].map((wait) => leave(address, wait))));
  await expectAlive(running.url);
});

it('answers every standard header, and outlives clients that leave, at the address of the metrics', async () => {
  const server = await serveMetrics({ host: '127.0.0.1', port: 0 }, () => Promise.resolve('# none\n'));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const method of ['GET', 'HEAD']) {
    expect(await faultsOf(url, { method, path: '/metrics' })).toEqual([]);
  }
  await leaveRudely(url);
  expect((await fetch(`${url}/metrics`)).status).toBe(200);
  server.closeAllConnections();
  server.close();
});

it.each([
  ['GET', { Range: 'bytes=99999999-' }, 416],
  ['GET', { Range: 'bytes=0-1' }, 206],
  ['GET', { Range: 'bytes=0-1', 'If-Range': '"x"' }, 200],
  ['GET', { 'If-Match': '"x"' }, 412],
  ['GET', { 'If-Match': '*' }, 200],
  ['GET', { 'If-Unmodified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 412],
  ['GET', { 'If-Modified-Since': 'Fri, 31 Dec 2100 00:00:00 GMT', 'Cache-Control': 'max-age=0' }, 304],
  // RFC 9110, 14.2: a range is of GET alone.
  ['HEAD', { Range: 'bytes=99999999-' }, 200],
  ['HEAD', { Range: 'bytes=0-1' }, 200],
  ['HEAD', { 'If-Match': '"x"' }, 412],
] as const)('%s of every file of the page with %j answers %d', async (method, headers, status) => {
  for (const { path } of addresses.filter(
    (one) => one.method === method && /^\/docs\/.*\.(css|js|svg)$/.test(one.path),
  )) {
    const answer = await fetch(running.url + path, { method, headers });
    expect([path, answer.status]).toEqual([path, status]);
    if (status >= 400 && method === 'GET') {
      expect(await answer.json()).toMatchObject({ status, requestId: expect.any(String) });
    }
    expect(answer.headers.get('content-range')?.replace(/\d+$/, 'n')).toBe(
      status === 416 ? 'bytes */n' : status === 206 ? 'bytes 0-1/n' : undefined,
    );
  }
});

describe('a failure that comes when the handler has returned', () => {
  let failing: RunningApp;
  beforeAll(async () => (failing = await startApp({}, undefined, systemClock, [FailingModule])));
  afterAll(() => failing.stop());

  it.each([
    ['missing', 404, 0],
    ['folder', 404, 0],
    ['next', 404, 0],
    ['next-route', 404, 0],
    ['next-with-error', 500, 1],
    ['next-with-anything', 500, 1],
    ['next-after-answer', 200, 1],
    ['write-after-end', 200, 1],
    ['filter', 500, 1],
  ])('%s answers %d', async (path, status, errors) => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    const answer = await fetch(`${failing.url}/failing/${path}`);
    expect(answer.status).toBe(status);
    const text = await answer.text();
    expect(status < 400 ? text : JSON.parse(text)).toEqual(
      status < 400 ? 'ok' : expect.objectContaining({ status, requestId: expect.any(String) }),
    );
    await expectAlive(failing.url);
    expect(logged).toHaveBeenCalledTimes(errors);
  });
});
