import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { exchange } from './support/exchange';
import { holdWrites, writesAsked } from './support/held-writes';
import { startApp } from './support/start-app';
import { sqliteFile } from './support/test-database';

const page = 'https://page.example';
const names = (list: string | undefined) => list?.split(/, ?/).map((name) => name.toLowerCase());

it('is off unless configured', async () => {
  const { http, stop } = await startApp();
  for (const request of [http.get('/v2/user/logout'), http.options('/v1/pet')]) {
    const { headers } = await request.set({ Origin: page, 'Access-Control-Request-Method': 'POST' });
    expect(Object.keys(headers).filter((name) => /^access-control|^vary$/.test(name))).toEqual([]);
  }
  await stop();
});

it('answers the preflight of a listed origin, with Allow as ever, and of no other', async () => {
  const { http, stop } = await startApp({ CORS_ORIGINS: `https://other.example ${page}` });
  const preflight = (origin: string) =>
    http
      .options('/v2/pet')
      .set({
        Origin: origin,
        'Access-Control-Request-Method': 'PUT',
        'Access-Control-Request-Headers': 'authorization,traceparent,x-b3-traceid',
      })
      .expect(204);
  const { headers } = await preflight(page);
  expect(headers).toMatchObject({ 'access-control-allow-origin': page, allow: 'PUT, POST, OPTIONS' });
  expect(names(headers['access-control-allow-methods'])).toContain('put');
  expect(names(headers['access-control-allow-headers'])).toEqual(['authorization', 'traceparent', 'x-b3-traceid']);
  expect(names(headers.vary)).toEqual(['origin', 'access-control-request-headers']);
  expect((await preflight('https://evil.example')).headers).not.toHaveProperty('access-control-allow-origin');
  await stop();
});

it('lets a page read every header that the OpenAPI document names, on failures too', async () => {
  const running = await startApp({ CORS_ORIGINS: '*' });
  const { paths, components } = JSON.parse(readFileSync(resolve(__dirname, '../openapi.json'), 'utf8')) as {
    paths: object;
    components: { responses: object };
  };
  const operations = Object.values(paths).flatMap((item: object) => Object.values(item) as { responses: object }[]);
  const answers = [components, ...operations].flatMap(
    ({ responses }) => Object.values(responses) as { headers?: object }[],
  );
  const documented = answers.flatMap(({ headers }) => Object.keys(headers ?? {})).map((name) => name.toLowerCase());
  const { headers } = await running.http.post('/v1/pet').set('Origin', page).send({}).expect(400);
  expect(headers['access-control-allow-origin']).toBe('*');
  expect(headers).not.toHaveProperty('access-control-allow-credentials');
  // CORS itself shows the last two to every page, and the first to none.
  const others = ['set-cookie', 'cache-control', 'content-length'];
  expect(new Set([...names(headers['access-control-expose-headers'])!, ...others])).toEqual(
    new Set([...documented, ...others]),
  );
  await running.stop();
});

it('shows a listed page every refusal, on the socket and for load too, and never refuses its preflight for load', async () => {
  const running = await startApp({ CORS_ORIGINS: page, OPERATION_LIMIT: '1' }, sqliteFile());
  const release = await holdWrites(running);
  const creation = running.http.post('/v1/pet').send({ name: 'Rex' });
  const held = creation.then(({ status }) => status);
  await writesAsked(running, 1);
  const post = (rest: string) => `POST /v1/pet HTTP/1.1\r\nHost: x\r\nOrigin: ${page}\r\nConnection: close\r\n${rest}`;
  const refusals = [
    [503, post('\r\n')],
    [431, post(`X: ${'a'.repeat(20_000)}\r\n\r\n`)],
    [400, post('X\r\n\r\n')],
    [400, post('Transfer-Encoding: chunked\r\n\r\nzz\r\n').replace('/v1/pet', '/v2/user/createWithList')],
    [400, post('Host: y\r\n\r\n').replace('POST /v1/pet', 'GET /v2/user/logout')],
    [501, post('Transfer-Encoding: gzip, chunked\r\n\r\n').replace('/v1/pet', '/v2/user/createWithList')],
    [400, `CONNECT x:1 HTTP/1.1\r\nHost: x\r\nOrigin: ${page}\r\n\r\n`],
  ] as const;
  for (const [status, bytes] of refusals) {
    const answer = await exchange(running.url, bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toContain(`\r\nAccess-Control-Allow-Origin: ${page}\r\n`);
    expect(answer).toMatch(/\r\nAccess-Control-Expose-Headers: .*X-Request-Id/);
  }
  const preflight = running.http.options('/v1/pet').set({ Origin: page, 'Access-Control-Request-Method': 'POST' });
  expect((await preflight.expect(204)).headers['access-control-allow-origin']).toBe(page);
  await release();
  expect(await held).toBe(201);
  await running.stop();
});

it.each(['page.example', 'https://page.example/', 'https://page.example/a', 'ftp://page.example', 'null'])(
  'refuses the origin %s at the start',
  async (origin) => {
    await expect(startApp({ CORS_ORIGINS: origin })).rejects.toThrow(/CORS_ORIGINS/);
  },
);
