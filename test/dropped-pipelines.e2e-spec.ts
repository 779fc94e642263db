import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { Metrics } from '../src/platform/metrics';
import { Passwords } from '../src/auth';
import type { ServerAdapter } from '../src/platform/server';
import { Connection } from './support/connection';
import { hashingRuns } from './support/hashing-runs';
import { holdWrites } from './support/held-writes';
import { startApp, type RunningApp } from './support/start-app';
import { sqliteFile } from './support/test-database';
import { until } from './support/until';

/*
 * Clients hang up while their requests wait in a pipeline behind a slow one; afterwards the service holds nothing of
 * them. Only the slow one's response has the connection, and only to that one does Node tell its end.
 */

let running: RunningApp;
afterEach(() => jest.restoreAllMocks());
afterAll(() => running.stop());

const request = (line: string, headers = '', body = '') => `${line} HTTP/1.1\r\nHost: x\r\n${headers}\r\n${body}`;
const post = (path: string, body: string, headers = '', length = body.length) =>
  request(`POST ${path}`, `Content-Type: application/json\r\nContent-Length: ${length}\r\n${headers}`, body);
const users = (count: number) => Array.from({ length: count }, (_, n) => ({ username: `u${n}`, password: 'p' }));

/** Waits for the database, whose writes are held. */
const SLOW = post('/v1/pet', '{"name":"Rex"}');
const READ = request('GET /v2/pet/1');
const LIST = request('GET /v2/pet/findByStatus?status=sold');
const LOG_IN = request('GET /v2/user/login?username=tess&password=right');
const GZIPPED = gzipSync('{"username":"tess"}').toString('latin1');
const ASSET = request('GET /docs/swagger-ui-bundle.js');

const WAYS = ['end', 'destroy', 'reset'] as const;
const inEachWay = (pipelines: Record<string, string[]>) =>
  Object.entries(pipelines).flatMap(([what, requests]) =>
    WAYS.map((way) => [what, way, requests.join('')] as [string, (typeof WAYS)[number], string]),
  );

const openRequests = () => (running.app.getHttpAdapter() as unknown as ServerAdapter).openRequests;
const underWay = () => running.app.get(Passwords, { strict: false }).underWay;
const allEnd = () => until(() => openRequests().count === 0);

/** Fulfils when the service has the requests, each of which it has answered or works on. */
async function send(bytes: string): Promise<Connection> {
  const client = await Connection.to(running.url);
  await client.write(bytes);
  await until(() => openRequests().count > 0);
  await sleep(30);
  return client;
}

describe('where an operation works on one request of a network at a time, so that a place that stays taken is a 503', () => {
  beforeAll(async () => (running = await startApp({ OPERATION_LIMIT: '1' }, sqliteFile())));

  async function expectAllPlaces(): Promise<void> {
    const json = (method: string) => ({ method, body: '[]', headers: { 'Content-Type': 'application/json' } });
    for (const [path, init] of [
      ['/v1/pet', json('POST')],
      ['/v2/pet/1'],
      ['/v2/pet/findByStatus?status=sold'],
      ['/v2/user', json('POST')],
      ['/v2/user/createWithList', json('POST')],
      ['/v2/user/login?username=tess&password=right'],
    ] as const) {
      expect([path, (await fetch(running.url + path, init)).status]).not.toEqual([path, 503]);
    }
    expect(underWay()).toEqual({ logIns: 0, bulk: 0 });
  }

  it.each(
    inEachWay({
      'only the slow one': [SLOW],
      'one behind it': [SLOW, READ],
      'the slow one in the middle': [READ, SLOW, LIST],
      'several operations': [SLOW, READ, LIST, LOG_IN, ASSET, request('GET /'), request('GET /canary')],
      'refused ones': [SLOW, READ, READ, READ],
      hashing: [SLOW, post('/v2/user/createWithList', JSON.stringify(users(100))), READ],
      'a body in a coding': [SLOW, post('/v2/user', GZIPPED, 'Content-Encoding: gzip\r\n'), READ],
      'an answer that says close': [SLOW, request('GET /v2/pet/1', 'Connection: close\r\n'), LIST],
      'an offer of another protocol': [SLOW, READ, request('GET /', 'Connection: Upgrade\r\nUpgrade: h2c\r\n'), READ],
      'a tunnel': [SLOW, READ, request('CONNECT x:1')],
      'what is no HTTP': [SLOW, READ, '\0'],
    }),
  )('keeps no place of a pipeline with %s after %s', async (_, way, bytes) => {
    const release = await holdWrites(running);
    void (await send(bytes))[way]();
    await allEnd();
    await release();
    await expectAllPlaces();
  });

  // Of these the service reads no more for now, or answers are owed first: it notices when the slow one is answered.
  it.each(
    inEachWay({
      'more answers than are kept for one connection': [SLOW, ...Array<string>(256).fill(READ)],
      'half a body': [SLOW, READ, post('/v2/user', '{"na', '', 14)],
      'a body that waits to be asked for': [SLOW, post('/v2/user', '', 'Expect: 100-continue\r\n', 19)],
    }),
  )('keeps no place of a pipeline with %s after %s, once the slow one is done', async (_, way, bytes) => {
    const release = await holdWrites(running);
    void (await send(bytes))[way]();
    await sleep(30);
    await release();
    await allEnd();
    await expectAllPlaces();
  });

  it('keeps no body, and no file open', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const held = () => {
      collect();
      const { arrayBuffers, heapUsed } = process.memoryUsage();
      return arrayBuffers + heapUsed;
    };
    const openFiles = () => readdirSync('/proc/self/fd').length;
    const half = `{"name":"${'a'.repeat(600_000)}`;
    const drop = async () => {
      const release = await holdWrites(running);
      (await send(SLOW + ASSET + READ + post('/v2/user', half, '', 900_000))).reset();
      await sleep(30);
      await release();
      await allEnd();
    };
    await drop();
    const [bytes, files] = [held(), openFiles()];
    for (let count = 0; count < 30; count += 1) {
      await drop();
    }
    expect(held() - bytes).toBeLessThan(6_000_000);
    // The last one may still be closing.
    await until(() => openFiles() <= files);
  });
});

it('hashes no more for the requests of a pipeline, and tells of each of them as aborted', async () => {
  await running.stop();
  running = await startApp({ ARGON2_MEMORY_KIB: '19456' }, sqliteFile());
  const runs = hashingRuns();
  const bulk = post('/v2/user/createWithList', JSON.stringify(users(500)));
  const client = await send([bulk, READ, LOG_IN, LIST, READ].join(''));
  await until(() => runs().length > 2);
  client.destroy();
  await allEnd();
  await until(() => underWay().bulk === 0);
  expect(runs().length).toBeLessThan(100);
  const told = [...(await running.app.get(Metrics, { strict: false }).expose()()).matchAll(ENDED)].map(
    ([, method, route, status, count]) => [method, route, status, Number(count)],
  );
  expect(told).toEqual(
    expect.arrayContaining([
      ['GET', '/v2/pet/{petId}', 'aborted', 2],
      ['GET', '/v2/pet/findByStatus', 'aborted', 1],
      ['POST', '/v2/user/createWithList', 'aborted', 1],
      ['GET', '/v2/user/login', 'aborted', 1],
    ]),
  );
});

const ENDED = /^http_request_duration_seconds_count\{method="(\w+)",route="(.+?)",status="(\w+)"\} (\d+)$/gm;
