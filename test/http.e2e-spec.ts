import { deflateSync, gzipSync, brotliCompressSync } from 'node:zlib';
import { exchange } from './support/exchange';
import { startApp, tokenFor, type RunningApp } from './support/start-app';

let running: RunningApp;
beforeAll(async () => (running = await startApp()));
afterAll(() => running.stop());

const post = (body: Buffer | string, headers: Record<string, string> = {}) =>
  fetch(`${running.url}/v1/pet`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
const pet = '{"name":"Rex"}';

it.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/json; charset=latin1',
  'application/jsonp',
  '',
])('answers 415 to the content type %j', async (type) => {
  expect((await post(Buffer.from(pet), { 'Content-Type': type })).status).toBe(415);
});

it.each(['application/json;charset=UTF-8', 'Application/JSON'])('takes the content type %s', async (type) => {
  expect((await post(pet, { 'Content-Type': type })).status).toBe(201);
});

it.each([
  ['gzip', gzipSync(pet)],
  ['x-gzip', gzipSync(pet)],
  ['GZip', gzipSync(pet)],
  ['deflate', deflateSync(pet)],
  ['br', brotliCompressSync(pet)],
])('takes %s, and answers 400 when it is corrupt', async (encoding, body) => {
  expect((await post(body, { 'Content-Encoding': encoding })).status).toBe(201);
  expect((await post('junk', { 'Content-Encoding': encoding })).status).toBe(400);
});

it('answers 415 to an unknown content coding, and says which are accepted', async () => {
  const { status, headers } = await post(pet, { 'Content-Encoding': 'lzw' });
  expect([status, headers.get('accept-encoding'), headers.get('accept')]).toEqual([415, 'gzip, deflate, br', null]);
});

it('says with 415 to a content type which is accepted', async () => {
  const { headers } = await post(pet, { 'Content-Type': 'text/plain' });
  expect([headers.get('accept'), headers.get('accept-post')]).toEqual(Array(2).fill('application/json'));
  const token = await tokenFor(running, 'typist');
  const update = running.http.put('/v2/pet').auth(token, { type: 'bearer' });
  const answer = await update.type('text/plain').send('x').expect(415);
  expect(answer.headers).toMatchObject({ accept: 'application/json' });
  expect(answer.headers).not.toHaveProperty('accept-post');
});

it('answers 400 to a PUT of a part', async () => {
  const update = running.http.put('/v2/pet').auth(await tokenFor(running, 'parter'), { type: 'bearer' });
  const answer = await update
    .set('Content-Range', 'bytes 0-1/9')
    .send({ id: 1, name: 'Rex', photoUrls: [] })
    .expect(400);
  expect(answer.body).toMatchObject({
    type: '/problems/bad-request',
    detail: expect.stringContaining('Content-Range'),
  });
});

it('accepts one slash at the end of an address, and no more', async () => {
  await running.http.post('/v1/pet/').send({ name: 'Rex' }).expect(201);
  await running.http.get('/v2/user/logout/').expect(200);
  await running.http.post('/v1/pet//').send({ name: 'Rex' }).expect(404);
});

it('takes a BOM', async () => {
  expect((await post(`\ufeff${pet}`)).status).toBe(201);
});

it.each(['', '{', 'null,', '{"name":"Rex"', `{"a":${'['.repeat(45_000)}`, `{"a":${'['.repeat(40)}${']'.repeat(40)}}`])(
  'answers 400 to %.20j in our words',
  async (body) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ type: '/problems/malformed-json' });
  },
);

it('answers 400 to no body at all, whose type nobody has to name', async () => {
  for (const length of ['0', '00']) {
    const { body } = await running.http.post('/v1/pet').set('Content-Length', length).expect(400);
    expect(body).toMatchObject({ type: '/problems/malformed-json', detail: 'The request has no body.' });
  }
});

it('answers 400 to what is not UTF-8', async () => {
  expect((await post(Buffer.from([...Buffer.from('{"name":"'), 0xff, ...Buffer.from('"}')]))).status).toBe(400);
});

it('takes 1 MiB and answers 413 to a byte more, also when it was compressed', async () => {
  const body = (length: number) => pet + ' '.repeat(length - pet.length);
  expect((await post(body(1_048_576))).status).toBe(201);
  expect((await post(body(1_048_577))).status).toBe(413);
  expect((await post(gzipSync(body(1_048_577)), { 'Content-Encoding': 'gzip' })).status).toBe(413);
});

it.each(['/v1', '/v1/pet//', '/V1/pet', '/v3/pet', '/v2/users', '/v2/user/x/y?password=canary'])(
  'answers 404 to %s and does not echo it',
  async (path) => {
    const { body, text } = await running.http.get(path).expect(404);
    expect(body).toMatchObject({ type: '/problems/not-found', status: 404 });
    expect(text).not.toMatch(/canary|Cannot|\/v/);
  },
);

it.each([
  ['/v1/pet', 'PUT', 'POST, GET, HEAD, OPTIONS'],
  ['/v2/pet', 'GET', 'PUT, POST, OPTIONS'],
  ['/v1/pet/1', 'DELETE', 'GET, HEAD, OPTIONS'],
  ['/v2/pet/1', 'PUT', 'GET, HEAD, POST, DELETE, OPTIONS'],
  ['/v2/pet/findByStatus', 'POST', 'GET, HEAD, OPTIONS'],
  ['/v2/user/login', 'PUT', 'GET, POST, OPTIONS'],
  ['/v2/user/logout', 'DELETE', 'GET, OPTIONS'],
  ['/v2/user/createWithList', 'GET', 'POST, OPTIONS'],
])('answers 405 with Allow on %s to %s', async (path, method, allow) => {
  const answer = await fetch(running.url + path, { method });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
  const options = await fetch(running.url + path, { method: 'OPTIONS' });
  expect([options.status, options.headers.get('allow')]).toEqual([204, allow]);
});

it('logs nobody in or out on HEAD', async () => {
  for (const path of ['/v2/user/login?username=a&password=b', '/v2/user/logout']) {
    const { headers } = await running.http.head(path).expect(405);
    expect(headers).not.toHaveProperty('set-cookie');
  }
});

it('sends the security headers, and says nothing of what it runs on', async () => {
  const own = ['x-content-type-options', 'content-security-policy'];
  for (const [path, others] of [
    ['/v2/pet/findByStatus', []],
    ['/nothing', []],
    ['/v2/user/logout', ['cache-control', 'set-cookie']],
    ['/v2/user/login', ['referrer-policy']],
  ] as const) {
    const { headers } = await running.http.get(path);
    const { date: _, connection: __, 'content-length': ___, 'content-type': ____, ...more } = headers;
    expect(Object.keys(more).sort()).toEqual([...own, ...others, 'x-request-id'].sort());
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    });
  }
  const bad = await exchange(running.url, 'nonsense\r\n\r\n');
  expect(bad).toMatch(/^HTTP\/1.1 400 [^]*\r\nX-Content-Type-Options: nosniff\r\nContent-Security-Policy: default-src/);
});

it('promises TLS where the operator says that it is his to promise', async () => {
  const secure = await startApp({ HSTS_MAX_AGE_SECONDS: '31536000' });
  for (const path of ['/v2/pet/1', '/docs']) {
    expect((await secure.http.get(path)).headers['strict-transport-security']).toBe('max-age=31536000');
  }
  await secure.stop();
});

it('answers whole to every condition: the answer of an operation is no stored representation', async () => {
  await tokenFor(running);
  for (const condition of [
    { 'If-None-Match': '*' },
    { 'If-Modified-Since': new Date().toUTCString() },
    { Range: 'bytes=0-1' },
  ]) {
    const login = running.http.get('/v2/user/login?username=tess&password=right').set(condition);
    expect((await login.expect(200)).body).toMatch(/^pus_/);
    await running.http.get('/v2/user/logout').set(condition).expect(200);
  }
});

it('takes a harmless request id and replaces any other', async () => {
  const id = async (given: string) => (await running.http.get('/x').set('X-Request-Id', given)).headers['x-request-id'];
  expect(await id('abc-1_Z')).toBe('abc-1_Z');
  expect(await id('a b')).toMatch(/^[\da-f-]{36}$/);
  expect(await id('x'.repeat(65))).toMatch(/^[\da-f-]{36}$/);
});

it('says nothing of the cause of a 5xx', async () => {
  const broken = await startApp();
  await broken.database.write((manager) => manager.query('ALTER TABLE pet RENAME TO gone'));
  const { body, text } = await broken.http.post('/v1/pet').send({ name: 'Rex' }).expect(500);
  expect(body).toMatchObject({ type: '/problems/internal-error', status: 500 });
  expect(text).not.toMatch(/pet|sql|at /i);
  await broken.stop();
});
