import { setTimeout } from 'node:timers/promises';
import { startApp, tokenFor, type RunningApp } from './support/start-app';

/*
 * Conditional requests on pets (RFC 9110, 13).
 */

let running: RunningApp;
let token: string;
let id: number;
let etag: string;

beforeAll(async () => {
  running = await startApp();
  token = await tokenFor(running);
});
afterAll(() => running.stop());
beforeEach(async () => {
  const { body, headers } = await running.http.post('/v2/pet').send({ name: 'Rex', photoUrls: [] }).expect(200);
  [id, etag] = [body.id as number, headers.etag!];
});

const bearer = () => ({ Authorization: `Bearer ${token}` });
const read = (headers: Record<string, string> = {}) => running.http.get(`/v2/pet/${id}`).set(headers);
const put = (headers: object = {}, body: object = {}) =>
  running.http
    .put('/v2/pet')
    .set({ ...bearer(), ...headers })
    .send({ id, name: 'Max', photoUrls: [], ...body });
const changes = {
  PUT: put,
  POST: (headers: object = {}) => running.http.post(`/v2/pet/${id}?name=Max`).set({ ...bearer(), ...headers }),
  DELETE: (headers: object = {}) => running.http.delete(`/v2/pet/${id}`).set({ ...bearer(), ...headers }),
};
const methods = Object.keys(changes) as (keyof typeof changes)[];

it('has a strong ETag, the same for all who read it, and another one after each change', async () => {
  expect(etag).toMatch(/^"[\x21\x23-\x7e]+"$/);
  expect((await read()).headers.etag).toBe(etag);
  expect((await running.http.get(`/v1/pet/${id}`)).headers.etag).toBe(etag);
  const seen = [etag];
  for (const method of methods) {
    const answer = await changes[method]().expect(200);
    expect(seen).not.toContain(answer.headers.etag);
    seen.push(answer.headers.etag!);
    if (method !== 'DELETE') {
      expect((await read()).headers.etag).toBe(answer.headers.etag);
    }
  }
});

it('has no ETag of the pet that had its id before', async () => {
  await changes.DELETE().expect(200);
  const { headers } = await running.http.post('/v2/pet').send({ id, name: 'Rex', photoUrls: [] }).expect(200);
  expect(headers.etag).not.toBe(etag);
  await put({ 'If-Match': etag }).expect(412);
});

describe.each(['/v1/pet', '/v2/pet'])('GET %s/{petId}', (path) => {
  const get = (headers: Record<string, string>) => running.http.get(`${path}/${id}`).set(headers);

  it('answers 304 with the ETag and without a body to whoever has this version', async () => {
    for (const tags of [etag, `W/${etag}`, `"a", ${etag}`, '*']) {
      for (const answer of [
        await get({ 'If-None-Match': tags }),
        await running.http.head(`${path}/${id}`).set('If-None-Match', tags),
      ]) {
        expect([answer.status, answer.text ?? '', answer.headers.etag]).toEqual([304, '', etag]);
        expect(answer.headers).not.toHaveProperty('content-type');
      }
    }
  });

  it('answers the pet to whoever has another version, or sends what is no entity tag', async () => {
    for (const tags of ['"a"', etag.toUpperCase().replace('"', '"x'), etag.replaceAll('"', ''), '']) {
      expect((await get({ 'If-None-Match': tags }).expect(200)).body.id).toBe(id);
    }
    await get({ 'If-Modified-Since': new Date(Date.now() + 60_000).toUTCString() }).expect(200);
  });

  it('answers 412 where If-Match does not hold', async () => {
    await get({ 'If-Match': etag, 'If-None-Match': '"a"' }).expect(200);
    expect((await get({ 'If-Match': '"a"' }).expect(412)).body.type).toBe('/problems/precondition-failed');
  });
});

describe.each(methods)('%s', (method) => {
  const change = changes[method];

  it.each([
    ['If-Match', () => etag],
    ['If-Match', () => `"a", ${etag}`],
    ['If-Match', () => '*'],
    ['If-None-Match', () => '"a"'],
  ])('is done where %s holds', async (name, tags) => {
    await change({ [name]: tags() }).expect(200);
  });

  it.each([
    ['If-Match', () => '"a"'],
    ['If-Match', () => `W/${etag}`],
    ['If-None-Match', () => '*'],
    ['If-None-Match', () => etag],
    ['If-None-Match', () => `W/${etag}`],
  ])('answers 412 where %s does not hold, and changes nothing', async (name, tags) => {
    const { body, headers } = await change({ [name]: tags() }).expect(412);
    expect(body).toMatchObject({ type: '/problems/precondition-failed', status: 412 });
    expect(headers['content-type']).toMatch('application/problem+json');
    const after = await read().expect(200);
    expect([after.body, after.headers.etag]).toEqual([{ id, name: 'Rex', photoUrls: [] }, etag]);
  });

  it.each([
    ['If-Match', 'a'],
    ['If-Match', ''],
    ['If-None-Match', '"a'],
  ])('answers 400 to %s: %s, and changes nothing', async (name, tags) => {
    expect((await change({ [name]: tags }).expect(400)).body.type).toBe('/problems/bad-request');
    expect((await read()).headers.etag).toBe(etag);
  });

  it('answers 401 and 404 before it looks at conditions', async () => {
    await change({ 'If-Match': '"a"', Authorization: '' }).expect(401);
    await changes.DELETE().expect(200);
    for (const tags of ['*', '"a"', 'a']) {
      await change({ 'If-Match': tags }).expect(404);
    }
  });
});

it('PUT answers 400 and 405 before it looks at conditions', async () => {
  await put({ 'If-Match': '"a"' }, { id: 0 }).expect(400);
  await put({ 'If-Match': '"a"' }, { name: '' }).expect(405);
  await put({ 'If-Match': 'a' }, { name: '' }).expect(405);
});

it('PUT refuses a part of a pet', async () => {
  const { body } = await put({ 'Content-Range': 'bytes 0-9/10' }).expect(400);
  expect(body.type).toBe('/problems/bad-request');
  expect((await read()).headers.etag).toBe(etag);
});

it('loses no change of 50 clients that read, change and write with If-Match', async () => {
  await put({}, { name: '0', tags: [{ id: 0 }] }).expect(200);
  const headers = { ...bearer(), 'Content-Type': 'application/json' };
  const increment = async () => {
    for (let tries = 1; ; tries++) {
      const current = await fetch(`${running.url}/v2/pet/${id}`);
      expect(current.status).toBe(200);
      const sum = Number(((await current.json()) as { name: string }).name) + 1;
      const answer = await fetch(`${running.url}/v2/pet`, {
        method: 'PUT',
        headers: { ...headers, 'If-Match': current.headers.get('etag')! },
        body: JSON.stringify({ id, name: String(sum), photoUrls: [], tags: [{ id: sum }] }),
      });
      if (answer.status === 200) {
        return;
      }
      // A busy server may say 503: nothing was stored then either.
      expect([412, 503]).toContain(answer.status);
      await setTimeout(Math.random() * Math.min(10 * 2 ** tries, 2_000));
    }
  };
  await Promise.all(Array.from({ length: 50 }, increment));
  expect((await read()).body).toEqual({ id, name: '50', photoUrls: [], tags: [{ id: 50 }] });
  // A busy machine may need its time for a thousand requests.
}, 60_000);

it('lets one of 50 clients win that write the same version', async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) => put({ 'If-Match': etag }, { name: `n${n}`, tags: [{ id: n }] })),
  );
  const [winner, ...others] = answers.map(({ status }, n) => ({ status, n })).filter(({ status }) => status === 200);
  expect(others).toEqual([]);
  expect((await read()).body).toMatchObject({ name: `n${winner!.n}`, tags: [{ id: winner!.n }] });
});
