import { startApp, tokenFor, type RunningApp } from './support/start-app';

describe('PUT /v2/pet', () => {
  let running: RunningApp;
  let token: string;
  let id: number;

  beforeAll(async () => {
    running = await startApp();
    token = await tokenFor(running);
    const { body } = await running.http.post('/v1/pet').send({ name: 'Rex', owner_id: 'o-1', breed: 'Beagle' });
    id = body.id as number;
  });
  afterAll(() => running.stop());

  const put = (body: object | string, authorization = `Bearer ${token}`) =>
    running.http.put('/v2/pet').set({ Authorization: authorization, 'Content-Type': 'application/json' }).send(body);
  const pet = async () => {
    const [{ version: _, ...row }] = (await running.query(`SELECT * FROM pet WHERE id = ${id}`)) as [
      { version: number },
    ];
    return row as Record<string, unknown>;
  };
  const indexed = () => running.query(`SELECT name FROM pet_tag WHERE pet_id = ${id}`);
  const valid = { name: 'Rex', photoUrls: [] };

  it('replaces the v2 members, keeps those of v1, and answers 200 without a body', async () => {
    const body = `{"id":${id},"name":"Max","photoUrls":["http://x/1"],"status":"sold",
      "category":{"id":9223372036854775807,"name":"dogs","x":1},"tags":[{"id":9007199254740993},{"name":"t"},{"name":"t"}]}`;
    const answer = await put(body).expect(200);
    expect(answer.text).toBe('');
    expect(answer.headers['content-length']).toBe('0');
    expect(await pet()).toEqual({
      id,
      name: 'Max',
      owner_id: 'o-1',
      owner: null,
      species: null,
      breed: 'Beagle',
      category: '{"id":9223372036854775807,"name":"dogs"}',
      photo_urls: '["http://x/1"]',
      tags: '[{"id":9007199254740993},{"name":"t"},{"name":"t"}]',
      photos_uploaded: null,
      status: 'sold',
    });
    expect(await indexed()).toEqual([{ name: 't' }]);
    await put({ id, ...valid }).expect(200);
    expect(await pet()).toMatchObject({
      category: null,
      photo_urls: '[]',
      tags: null,
      status: null,
      breed: 'Beagle',
    });
    expect(await indexed()).toEqual([]);
  });

  it.each(['1.0', '1e0', '10e-1'])('takes %s for an integer', async (one) => {
    await put(`{"id":${one},"name":"Rex","photoUrls":[]}`).expect(200);
  });

  it.each([
    'null',
    '"1"',
    '1.5',
    'true',
    '""',
    '0',
    '-1',
    '-0',
    '9223372036854775808',
    '1e30',
    '1e400',
    '{}',
    '[1]',
    '',
  ])('answers 400 "Invalid ID supplied" without a body to the id %j', async (bad) => {
    const answer = await fetch(`${running.url}/v2/pet`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: bad === '' ? '{"name":""}' : `{"id":${bad},"name":""}`,
    });
    expect([answer.status, answer.statusText, await answer.text()]).toEqual([400, 'Invalid ID supplied', '']);
    expect(answer.headers.get('content-length')).toBe('0');
  });

  it.each([
    [{ name: undefined }, '/name'],
    [{ name: '  ' }, '/name'],
    [{ photoUrls: undefined }, '/photoUrls'],
    [{ photoUrls: null }, '/photoUrls'],
    [{ photoUrls: 'a' }, '/photoUrls'],
    [{ photoUrls: [null] }, '/photoUrls'],
    [{ photoUrls: [{ constructor: 'x' }] }, '/photoUrls'],
    [{ photoUrls: ['x'.repeat(2049)] }, '/photoUrls'],
    [{ photoUrls: Array(101).fill('a') }, '/photoUrls'],
    [{ category: 'dogs' }, '/category'],
    [{ category: [] }, '/category'],
    [{ category: { id: '1' } }, '/category/id'],
    [{ category: { id: 1.5 } }, '/category/id'],
    [{ tags: {} }, '/tags'],
    [{ tags: [null] }, '/tags'],
    [{ tags: [[]] }, '/tags'],
    [{ tags: [{}, { name: 7 }] }, '/tags/1/name'],
    [{ tags: Array(101).fill({}) }, '/tags'],
    [{ status: 'lost' }, '/status'],
    [{ status: 7 }, '/status'],
  ])('answers 405 "Validation exception" to %j and points to %s', async (change, pointer) => {
    const before = await pet();
    const { body, headers } = await put({ id, ...valid, ...change }).expect(405);
    expect(headers.allow).toBe('PUT, POST, OPTIONS');
    expect(headers['content-type']).toMatch('application/problem+json');
    expect(body).toMatchObject({ title: 'Validation exception', status: 405, errors: [{ pointer }] });
    expect(await pet()).toEqual(before);
  });

  it.each(['9007199254740993', '9223372036854775807', '4711'])(
    'answers 404 for the unknown pet %s',
    async (unknown) => {
      const { body } = await put(`{"id":${unknown},"name":"Rex","photoUrls":[]}`).expect(404);
      expect(body).toMatchObject({ type: '/problems/pet-not-found', title: 'Pet not found', status: 404 });
    },
  );

  it('checks the bearer token before anything else', async () => {
    const { headers } = await running.http.put('/v2/pet').set('Content-Type', 'text/plain').send('{').expect(401);
    expect(headers['www-authenticate']).toBe('Bearer realm="pet-user-service"');
    await put('{', 'Basic eA==').expect(401);
    const refused = await put({ id, ...valid }, `Bearer pus_${'A'.repeat(43)}`).expect(401);
    expect(refused.headers['www-authenticate']).toContain('error="invalid_token"');
    const malformed = await put({ id, ...valid }, 'Bearer a b').expect(400);
    expect(malformed.headers['www-authenticate']).toContain('error="invalid_request"');
    await put({ id, ...valid }, `bEARER ${token}`).expect(200);
    await put({ id, ...valid }, `Bearer   ${token}`).expect(200);
  });

  it.each(['Bearer "T"', "Bearer 'T'", 'Bearer T"'])('says that the token of %j is in quotes', async (form) => {
    const { status, headers, body } = await put({ id, ...valid }, form.replace('T', token));
    expect([status, headers['www-authenticate']]).toEqual([400, expect.stringContaining('error="invalid_request"')]);
    expect(body).toMatchObject({ detail: expect.stringContaining('quotes') as string });
  });

  it.each(['Bearer T,T', 'Bearer T x', 'Bearer é', 'Bearer', 'T'])('answers 400 to %j', async (form) => {
    const { headers } = await put({ id, ...valid }, form.replaceAll('T', token)).expect(400);
    expect(headers['www-authenticate']).toContain('error="invalid_request"');
  });

  it('finds no credential in the query, the body or a cookie, nor a reason to fail', async () => {
    const body = { id, ...valid, access_token: token };
    const path = `/v2/pet?access_token=${token}`;
    await running.http.put(path).set('Cookie', `session=${token}`).send(body).expect(401);
    await running.http.put(path).set('Authorization', `Bearer ${token}`).send(body).expect(200);
  });

  it('answers 415 before 400 for the syntax, and that before 400 for the id', async () => {
    const auth = { Authorization: `Bearer ${token}` };
    await running.http.put('/v2/pet').set(auth).set('Content-Type', 'text/plain').send('{').expect(415);
    const { body } = await put('{"id":').expect(400);
    expect(body.type).toBe('/problems/malformed-json');
  });

  it('lets the last of 50 parallel updates win whole', async () => {
    await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        put({ id, name: `n${n}`, photoUrls: [`p${n}`], tags: [{ id: n }] }).expect(200),
      ),
    );
    const { name, photo_urls, tags } = (await pet()) as Record<string, string>;
    const n = name!.slice(1);
    expect([photo_urls, tags]).toEqual([`["p${n}"]`, `[{"id":${n}}]`]);
  });
});
