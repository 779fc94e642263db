import { randomBytes } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Logger } from '@nestjs/common';
import type { ServerAdapter } from '../src/platform/server';
import { Connection } from './support/connection';
import { holdWrites } from './support/held-writes';
import { image, noise, photoOf, PhotoAlbum } from './support/photos';
import { startApp, type RunningApp } from './support/start-app';
import { until } from './support/until';

/*
 * How uploads arrive: whole or not, slowly, without end, after a wait. Photos may be so large here that there is room
 * for four at a time, and a network may have two of these places.
 */

const LIMIT = 20_971_520;
const SHARE = 2;

let running: RunningApp;
let album: PhotoAlbum;
beforeAll(async () => {
  running = await startApp({ PHOTO_LIMIT_BYTES: String(LIMIT), TRUSTED_PROXIES: '1' });
});
beforeEach(async () => {
  await running.empty();
  album = await PhotoAlbum.in(running);
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => running.stop());

const FORM = 'Content-Type: multipart/form-data; boundary=x';
const JPEG = 'Content-Type: image/jpeg';
const CHUNKED = 'Transfer-Encoding: chunked';
const EXPECT = 'Expect: 100-continue';
const PART = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n';
const END = '\r\n--x--\r\n';
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const length = (bytes: { length: number }) => `Content-Length: ${bytes.length}`;
const open = async (...bytes: string[]) => {
  const client = await Connection.to(running.url);
  await client.write(bytes.join(''));
  return client;
};
const idle = () => until(() => (running.app.getHttpAdapter() as ServerAdapter).openRequests.count === 0);

/** Bytes in buffers once garbage is collected. */
function bytesHeld(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().arrayBuffers;
}

/** Some garbage goes the second time that it is collected. */
const untilFreed = (bytes: number) => until(() => bytesHeld() < bytes);

/** What a form of these bytes is answered. */
async function answerTo(body: string, type = FORM): Promise<number> {
  const client = await open(album.head(type, length(body), 'Connection: close'), body);
  await client.closed();
  return client.statuses[0]!;
}

it('takes what has a file name for a file, and nothing else', async () => {
  const bytes = (await image('jpeg')).toString('latin1');
  const form = (...head: string[]) => `--x\r\n${head.join('\r\n')}\r\n\r\n${bytes}${END}`;
  const named = (rest: string) => `Content-Disposition: form-data; name="file"${rest}`;
  for (const name of ['a%0D%0AX-A: b.jpg', 'a/', '..']) {
    expect([name, await answerTo(form(named(`; filename="${name}"`)))]).toEqual([name, 200]);
  }
  for (const head of [
    [named('')],
    [named('; filename=""')],
    [named(''), 'Content-Type: application/octet-stream'],
    [named(''), 'Content-Type: image/jpeg'],
    ['Content-Disposition: form-data; filename="a.jpg"'],
    ['X: y'],
  ]) {
    expect([head, await answerTo(form(...head))]).toEqual([head, 400]);
  }
  expect(await album.list()).toHaveLength(3);
});

it('answers 400 to a form that is cut off, has no boundary, or another one', async () => {
  const bytes = (await image('jpeg')).toString('latin1');
  expect(await answerTo(`${PART}${bytes}`)).toBe(400);
  expect(await answerTo(PART.slice(0, 30))).toBe(400);
  expect(await answerTo('--y--\r\n')).toBe(400);
  expect(await answerTo(PART + bytes + END, 'Content-Type: multipart/form-data')).toBe(400);
  expect(await answerTo(PART + bytes + END, 'Content-Type: multipart/form-data; boundary=y')).toBe(400);
  expect(await album.list()).toEqual([]);
});

it.each([
  ['a stranger', 401, () => album.head(JPEG, EXPECT, 'Content-Length: 9').replace(/Authorization: .*\r\n/, '')],
  ['a stranger with a form', 401, () => album.head(FORM, EXPECT, CHUNKED).replace(/Authorization: .*\r\n/, '')],
  ['no pet', 404, () => album.head(JPEG, EXPECT, 'Content-Length: 9').replace(/pet\/\d+/, 'pet/4711')],
  ['another state', 412, () => album.head(JPEG, EXPECT, 'Content-Length: 9', 'If-Match: "x"')],
  ['too much', 413, () => album.head(JPEG, EXPECT, `Content-Length: ${LIMIT + 1}`)],
  ['too much in a form', 413, () => album.head(FORM, EXPECT, `Content-Length: ${LIMIT + 65_537}`)],
  ['another type', 415, () => album.head('Content-Type: text/html', EXPECT, 'Content-Length: 9')],
])('%s is answered %d before the body is asked for', async (_, status, head) => {
  const client = await open(head());
  await client.closed();
  expect(client.statuses).toEqual([status]);
});

it.each([
  ['bytes', JPEG, ''],
  ['a form', FORM, PART],
])(
  'an endless upload as %s is answered 413 when it passes the limit, and logged as nothing',
  async (_, type, begin) => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    const small = await startApp({ PHOTO_LIMIT_BYTES: '100000' });
    const own = await PhotoAlbum.in(small);
    const client = await Connection.to(small.url);
    await client.write(own.head(type, CHUNKED) + (begin && chunk(begin)));
    let sent = 0;
    while (client.statuses.length === 0 && !client.isClosed) {
      await client.write(chunk('x'.repeat(20_000)));
      sent += 20_000;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await client.closed();
    expect(client.statuses).toEqual([413]);
    expect(sent).toBeLessThan(1_000_000);
    expect(logged).not.toHaveBeenCalled();
    await small.stop();
  },
);

it('is answered 408 when it does not come to its end in time, and leaves its place', async () => {
  const impatient = await startApp({ REQUEST_TIMEOUT_MS: '300', PHOTO_LIMIT_BYTES: String(LIMIT) });
  const own = await PhotoAlbum.in(impatient);
  for (const [type, begin] of [[JPEG, 'x'] as const, [FORM, PART] as const]) {
    const clients = await Promise.all(Array.from({ length: SHARE + 1 }, () => Connection.to(impatient.url)));
    await Promise.all(clients.map((client) => client.write(own.head(type, 'Content-Length: 1000') + begin)));
    await Promise.all(clients.map((client) => client.closed()));
    expect(clients.map(({ statuses }) => statuses)).toEqual(clients.map(() => [408]));
  }
  await own.uploadBytes(await image('jpeg')).expect(200);
  await impatient.stop();
});

it('lets who has had its share wait in turns, and others pass', async () => {
  const bytes = await image('jpeg');
  const slow = await Promise.all(Array.from({ length: SHARE }, () => open(album.head(JPEG, CHUNKED), chunk('x'))));
  await new Promise((resolve) => setTimeout(resolve, 100));
  const waiting = await open(album.head(JPEG, EXPECT, length(bytes)));
  await album.uploadBytes(bytes).set('X-Forwarded-For', '198.51.100.7').expect(200);
  expect(waiting.received).toBe('');
  slow[0]!.reset();
  await waiting.answers(1);
  await waiting.write(bytes);
  await waiting.answers(2);
  expect(waiting.statuses).toEqual([100, 200]);
  slow[1]!.reset();
  await idle();
});

it('has its places and memory back whenever a client leaves', async () => {
  const before = bytesHeld();
  const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
  const junk = randomBytes(100_000).toString('latin1');
  const photo = (await noise('jpeg', 300, 300)).toString('latin1');
  const whole = (body: string, type: string) => album.head(type, length(body)) + body;
  const stages = [
    album.head(JPEG, 'Content-Length: 1000'),
    album.head(FORM, 'Content-Length: 1000', EXPECT),
    album.head(JPEG, CHUNKED) + chunk(junk),
    album.head(FORM, CHUNKED) + chunk(PART.slice(0, 20)),
    album.head(FORM, CHUNKED) + chunk(PART + junk),
    album.head(FORM, CHUNKED) + chunk(PART + photo + END),
    `${album.head(FORM, CHUNKED)}${chunk(PART)}zz\r\n`,
    whole(photo, JPEG),
    whole(PART + photo + END, FORM),
  ];
  const leave = async (bytes: string, wait: number, how: 'reset' | 'end' | 'destroy') => {
    const client = await open(bytes);
    await new Promise((resolve) => setTimeout(resolve, wait));
    await client[how]();
    await client.closed();
  };
  const visits = stages.flatMap((stage) =>
    [0, 10, 50].flatMap((wait) => (['reset', 'end', 'destroy'] as const).map((how) => leave(stage, wait, how))),
  );
  await Promise.all(visits);
  await idle();
  await untilFreed(before + LIMIT / 2);
  // All of a network's places at once, or they would wait.
  const slow = await open(album.head(JPEG, CHUNKED), chunk('x'));
  const another = await PhotoAlbum.in(running, album.token);
  await another.uploadBytes(await image('jpeg')).expect(200);
  slow.reset();
  await idle();
  expect(logged).not.toHaveBeenCalled();
});

it('does not stay in memory while its connection stays open', async () => {
  const before = bytesHeld();
  const photo = Buffer.concat([await image('jpeg'), Buffer.alloc(4_000_000)]).toString('latin1');
  const uploads = [[JPEG, photo] as const, [FORM, PART + photo + END] as const].flatMap((upload) =>
    Array.from({ length: 5 }, () => upload),
  );
  const clients = await Promise.all(
    uploads.map(([type, body]) => open(album.head(type, length(body), 'Connection: keep-alive'), body)),
  );
  await Promise.all(clients.map((client) => client.answers(1)));
  expect(clients.map(({ statuses }) => statuses)).toEqual(clients.map(() => [200]));
  await untilFreed(before + 4_000_000);
  clients.forEach((client) => client.destroy());
});

it('is read to its end while it is deleted', async () => {
  const { url, bytes } = photoOf(await album.uploadBytes(await noise('jpeg', 1_200, 1_200)).expect(200));
  const client = await Connection.to(running.url);
  client.pause();
  await client.write(`GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await album.authorized('delete', url).expect(200);
  client.resume();
  await client.closed();
  expect(client.received.length - client.received.indexOf('\r\n\r\n') - 4).toBe(bytes);
});

it('waits while the database is held, and its client may leave', async () => {
  const release = await holdWrites(running);
  const bytes = await image('jpeg');
  const client = await open(album.head(JPEG, length(bytes)), bytes.toString('latin1'));
  await new Promise((resolve) => setTimeout(resolve, 200));
  client.reset();
  await release();
  await idle();
  await album.uploadBytes(bytes).expect(200);
});
