import { Controller, Logger, Module, Post, Req, UploadedFile, UseInterceptors } from '@nestjs/common';
import { FileInterceptor } from '@nestjs/platform-express';
import type { Request } from 'express';
import { Endpoint } from '../src/platform/http';
import type { ServerAdapter } from '../src/platform/server';
import { Connection } from './support/connection';
import { startApp, type RunningApp } from './support/start-app';
import { until } from './support/until';

/*
 * Handlers that read the request themselves: how much they get, when the client is asked for it, and how it ends.
 */

let begun = 0;
let ended = 0;

async function lengthOf(req: Request): Promise<number> {
  begun += 1;
  let length = 0;
  try {
    for await (const chunk of req) {
      length += (chunk as Buffer).length;
    }
    return length;
  } finally {
    ended += 1;
  }
}

@Controller('bodies')
class BodiesController {
  @Post('stream')
  @Endpoint({ access: 'anyone' })
  stream(@Req() req: Request) {
    return lengthOf(req);
  }

  @Post('large')
  @Endpoint({ access: 'anyone', bodyLimit: 2_000_000 })
  large(@Req() req: Request) {
    return lengthOf(req);
  }

  @Post('mine')
  @Endpoint({ access: 'token' })
  mine(@Req() req: Request) {
    return lengthOf(req);
  }

  @Post('file')
  @UseInterceptors(FileInterceptor('file', { limits: { fileSize: 10 } }))
  @Endpoint({ access: 'anyone' })
  file(@UploadedFile() file: Express.Multer.File) {
    return file.size;
  }

  @Post('unread')
  @Endpoint({ access: 'anyone' })
  unread(@Req() req: Request) {
    return req.method;
  }
}
@Module({ controllers: [BodiesController] })
class BodiesModule {}

let running: RunningApp;
beforeAll(async () => (running = await startApp({ BODY_LIMIT_BYTES: '100000' }, undefined, undefined, [BodiesModule])));
beforeEach(() => (begun = ended = 0));
afterEach(() => jest.restoreAllMocks());
afterAll(() => running.stop());

const PART = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
const head = (path: string, ...headers: string[]) =>
  [
    `POST /bodies/${path} HTTP/1.1`,
    'Host: x',
    ...(headers.some((one) => one.startsWith('Content-Type')) ? [] : ['Content-Type: multipart/form-data; boundary=x']),
    ...headers,
    '\r\n',
  ].join('\r\n');
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const CHUNKED = 'Transfer-Encoding: chunked';

it.each(['stream', 'file'])('%s: asks the client that waits for its body when it reads it', async (path) => {
  const client = await Connection.to(running.url);
  const body = `${PART}abc\r\n--x--\r\n`;
  await client.write(head(path, 'Expect: 100-continue', `Content-Length: ${body.length}`));
  await client.answers(1);
  expect(client.received).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  await client.write(body);
  await client.answers(2);
  expect(client.statuses).toEqual([100, 201]);
  client.destroy();
});

it('asks nobody for a body that is not read', async () => {
  const client = await Connection.to(running.url);
  await client.write(head('unread', 'Expect: 100-continue', 'Content-Length: 5'));
  await client.closed();
  expect(client.statuses).toEqual([201]);
});

it.each([
  ['stream', 100_001, 413],
  ['file', 100_001, 413],
  ['large', 2_000_001, 413],
  ['mine', 1_000, 401],
  ['mine', 100_001, 401],
])('%s with %d bytes is answered %d before the body is asked for', async (path, length, status) => {
  const client = await Connection.to(running.url);
  await client.write(head(path, 'Expect: 100-continue', `Content-Length: ${length}`));
  await client.closed();
  expect(client.statuses).toEqual([status]);
});

it.each(['stream', 'file', 'large'])('%s: an endless body is answered 413 when it passes the limit', async (path) => {
  const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
  const client = await Connection.to(running.url);
  await client.write(head(path, CHUNKED) + chunk(PART));
  let sent = 0;
  while (client.statuses.length === 0 && !client.isClosed) {
    await client.write(chunk('x'.repeat(10_000)));
    sent += 10_000;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await client.answers(1);
  expect(client.statuses).toEqual([413]);
  expect(client.received).toContain('Connection: close');
  expect(sent).toBeLessThan(path === 'large' ? 4_000_000 : 1_000_000);
  await client.closed();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(logged).not.toHaveBeenCalled();
});

it.each(['text/plain', 'application/json'])('takes as much %s as the operation names', async (type) => {
  const answer = running.http.post('/bodies/large').set('Content-Type', type).send('x'.repeat(2_000_000)).buffer(true);
  expect((await answer.expect(201)).text).toBe('2000000');
});

it.each(['stream', 'file'])(
  '%s: a body that is cut off or broken is answered 400, and logged as nothing',
  async (path) => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    for (const rest of ['zz\r\n', undefined]) {
      const client = await Connection.to(running.url);
      await client.write(head(path, CHUNKED) + chunk(PART));
      await (rest ? client.write(rest) : client.end());
      await client.closed();
      expect(client.statuses).toEqual([400]);
    }
    expect(logged).not.toHaveBeenCalled();
  },
);

it.each(['stream', 'file'])('%s: a client that leaves ends its reader, and is logged as nothing', async (path) => {
  const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
  const { openRequests } = running.app.getHttpAdapter() as ServerAdapter;
  const client = await Connection.to(running.url);
  await client.write(head(path, CHUNKED) + chunk(PART));
  await until(() => path === 'file' || begun === 1);
  client.reset();
  await until(() => openRequests.count === 0);
  expect(logged).not.toHaveBeenCalled();
});

it('a reader ends with its request: refused, cut off, reset or too large, after any wait', async () => {
  const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
  const leave = async (length: number, wait: number, how: 'reset' | 'end' | 'break') => {
    const client = await Connection.to(running.url);
    await client.write(head('stream', CHUNKED) + chunk('x'.repeat(length)));
    await new Promise((resolve) => setTimeout(resolve, wait));
    await (how === 'break' ? client.write('zz\r\n') : client[how]());
    await client.closed();
  };
  const ways = [1, 50_000, 99_000, 200_000].flatMap((length) =>
    [0, 20].flatMap((wait) => (['reset', 'end', 'break'] as const).map((how) => leave(length, wait, how))),
  );
  await Promise.all(ways);
  await until(() => ended === begun);
  expect(logged).not.toHaveBeenCalled();
});
