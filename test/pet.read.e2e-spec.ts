import { startApp, tokenFor, type RunningApp } from './support/start-app';

/*
 * Reading, adding, changing and deleting single pets.
 */

const LARGEST = '9223372036854775807';

let running: RunningApp;
let token: string;
beforeAll(async () => {
  running = await startApp();
  token = await tokenFor(running);
});
afterAll(() => running.stop());

const bearer = () => ({ Authorization: `Bearer ${token}` });
const add = (body: object | string) => running.http.post('/v2/pet').set('Content-Type', 'application/json').send(body);
const newPet = async (body: object = {}) => {
  const answer = await add({ name: 'Rex', photoUrls: [], ...body }).expect(200);
  return answer.body.id as number;
};
const read = (id: number | string) => running.http.get(`/v2/pet/${id}`);
const text = async (id: number | string) => (await fetch(`${running.url}/v2/pet/${id}`)).text();
const problem = (name: string, status: number) => ({ type: `/problems/${name}`, status });

describe('GET /v1/pet/{petId}', () => {
  it('answers the pet that was created, where Location says', async () => {
    const pet = { name: 'Rex', owner: { id: 'o-1', name: 'Ann' }, species: 'dog', breed: 'Beagle' };
    const { body, headers } = await running.http.post('/v1/pet').send(pet).expect(201);
    expect(headers.location).toBe(`/v1/pet/${body.id}`);
    const answer = await running.http.get(headers.location!).expect(200);
    expect(answer.body).toEqual(body);
    expect(answer.body).toEqual({ id: body.id, ...pet, owner_id: 'o-1' });
    expect(answer.headers.etag).toBe(headers.etag);
    expect(answer.headers['content-type']).toMatch('application/json');
  });

  it('leaves out what only v2 knows', async () => {
    const id = await newPet({ status: 'sold', tags: [{ name: 'calm' }] });
    expect((await running.http.get(`/v1/pet/${id}`).expect(200)).body).toEqual({ id, name: 'Rex' });
  });
});

describe('GET /v2/pet/{petId}', () => {
  it('answers a pet of v1 without photos', async () => {
    const { body } = await running.http.post('/v1/pet').send({ name: 'Rex', species: 'dog' });
    expect((await read(body.id as number).expect(200)).body).toEqual({ id: body.id, name: 'Rex', photoUrls: [] });
  });

  it('answers what PUT accepts, and nothing changes', async () => {
    const pet =
      `{"id":${LARGEST},"category":{"id":9007199254740993,"name":"dogs"},"name":"Rex \u{1f436}","photoUrls":["a","","a"],` +
      `"tags":[{"id":${LARGEST},"name":"b"},{"id":-9223372036854775808},{"name":"a"},{},{"name":"a"},{"id":1,"name":"b"}],` +
      `"status":"pending"}`;
    expect((await add(pet).expect(200)).text).toBe(pet);
    for (let round = 0; round < 2; round++) {
      expect(await text(LARGEST)).toBe(pet);
      await running.http.put('/v2/pet').set(bearer()).set('Content-Type', 'application/json').send(pet).expect(200);
    }
    await running.http.delete(`/v2/pet/${LARGEST}`).set(bearer()).expect(200);
  });

  it.each([{ tags: [] }, { category: {} }, { tags: [{}] }])('keeps %j apart from nothing', async (members) => {
    const id = await newPet(members);
    expect((await read(id)).body).toEqual({ id, name: 'Rex', photoUrls: [], ...members });
    await running.http.put('/v2/pet').set(bearer()).send({ id, name: 'Rex', photoUrls: [] }).expect(200);
    expect((await read(id)).body).toEqual({ id, name: 'Rex', photoUrls: [] });
    await running.http
      .put('/v2/pet')
      .set(bearer())
      .send({ id, name: 'Rex', photoUrls: [], ...members })
      .expect(200);
    expect((await read(id)).body).toEqual({ id, name: 'Rex', photoUrls: [], ...members });
  });

  it('answers HEAD as GET, without the body', async () => {
    const id = await newPet();
    const [head, get] = [await running.http.head(`/v2/pet/${id}`).expect(200), await read(id).expect(200)];
    expect(head.text ?? '').toBe('');
    for (const name of ['content-length', 'content-type', 'etag']) {
      expect(head.headers[name]).toBe(get.headers[name]);
    }
    await running.http.head('/v2/pet/9007199254740991').expect(404);
  });
});

describe.each(['v1', 'v2'])('GET /%s/pet/{petId}', (version) => {
  it.each(['0', '-1', '01', '+1', '1.0', '1e3', '0x1', 'abc', '9223372036854775808', '%20', '1%00', '１', 'null'])(
    'answers 400 to the id %s',
    async (id) => {
      const { body, headers } = await running.http.get(`/${version}/pet/${id}`).expect(400);
      expect(headers['content-type']).toMatch('application/problem+json');
      expect(body).toMatchObject({ ...problem('validation-failed', 400), errors: [{ pointer: 'petId' }] });
      expect(headers).not.toHaveProperty('etag');
    },
  );

  it.each(['9007199254740991', '9007199254740993', '9223372036854775806'])('answers 404 for %s', async (id) => {
    const { body, headers } = await running.http.get(`/${version}/pet/${id}`).expect(404);
    expect(body).toMatchObject({ ...problem('pet-not-found', 404), title: 'Pet not found' });
    expect(JSON.stringify(body)).not.toContain(id);
    expect(headers).not.toHaveProperty('etag');
  });
});

describe('POST /v2/pet', () => {
  it('answers 200 with the pet, and where it is', async () => {
    const pet = { name: 'Rex', photoUrls: ['a'], status: 'available', tags: [{ id: 1, name: 'calm' }] };
    const { body, headers } = await add({ ...pet, owner_id: 'ignored', extra: 1 }).expect(200);
    expect(body).toEqual({ id: expect.any(Number), ...pet });
    expect(headers['content-location']).toBe(`/v2/pet/${body.id}`);
    expect(headers).not.toHaveProperty('location');
    const answer = await running.http.get(headers['content-location']!).expect(200);
    expect(answer.body).toEqual(body);
    expect(answer.headers.etag).toBe(headers.etag);
  });

  it.each(['', '"id":0,', '"id":null,', '"id":0.0,'])('gives an id to a pet with %j', async (id) => {
    const { body } = await add(`{${id}"name":"Rex","photoUrls":[]}`).expect(200);
    expect(Number.isSafeInteger(body.id)).toBe(true);
    expect(body.id).toBeGreaterThan(0);
  });

  it.each(['4711', '9007199254740991', '9007199254740993', LARGEST])('keeps the id %s, once', async (id) => {
    const pet = `{"id":${id},"name":"Rex","photoUrls":[]}`;
    const answer = await add(pet).expect(200);
    expect(answer.headers['content-location']).toBe(`/v2/pet/${id}`);
    expect(await text(id)).toBe(pet);
    const { body, headers } = await add(`{"id":${id},"name":"Max","photoUrls":[]}`).expect(409);
    expect(body).toMatchObject({ ...problem('pet-id-taken', 409), errors: [{ pointer: '/id', detail: 'is taken' }] });
    expect(headers).not.toHaveProperty('etag');
    expect(await text(id)).toBe(pet);
    // The server's own numbering goes on, with numbers that JavaScript can hold.
    expect(Number.isSafeInteger(await newPet())).toBe(true);
  });

  it.each([
    [{ id: -1 }, '/id'],
    [{ id: 1.5 }, '/id'],
    [{ id: '1' }, '/id'],
    [{ id: true }, '/id'],
    [{ name: undefined }, '/name'],
    [{ name: ' ' }, '/name'],
    [{ photoUrls: undefined }, '/photoUrls'],
    [{ photoUrls: [1] }, '/photoUrls'],
    [{ category: 'dogs' }, '/category'],
    [{ tags: [null] }, '/tags'],
    [{ tags: [{ id: 1.5 }] }, '/tags/0/id'],
    [{ status: 'lost' }, '/status'],
    [{ status: '' }, '/status'],
  ])('answers 400 to %j and points to %s', async (change, pointer) => {
    const { body, headers } = await add({ name: 'Rex', photoUrls: [], ...change }).expect(400);
    expect(body).toMatchObject({ ...problem('validation-failed', 400), errors: [{ pointer }] });
    expect(headers).not.toHaveProperty('content-location');
  });

  it('answers 400 to an id past int64', async () => {
    await add('{"id":9223372036854775808,"name":"Rex","photoUrls":[]}').expect(400);
  });

  it('numbers past the ids that clients brought, however many, and also when those pets are gone', async () => {
    const next = await newPet();
    const brought = Array.from({ length: 300 }, (_, n) => next + 1 + n);
    await Promise.all(brought.map((id) => newPet({ id })));
    await Promise.all(
      brought.slice(0, 100).map((id) => running.http.delete(`/v2/pet/${id}`).set(bearer()).expect(200)),
    );
    const ids = await Promise.all(Array.from({ length: 20 }, () => newPet()));
    expect(new Set(ids).size).toBe(20);
    expect(ids.filter((id) => brought.includes(id))).toEqual([]);
    const { body } = await running.http.post('/v1/pet').send({ name: 'Rex' }).expect(201);
    expect([...brought, ...ids]).not.toContain(body.id);
  });

  it('gives every pet an id of its own while clients bring the next ones at the same time', async () => {
    const next = await newPet();
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        add({ ...(n % 2 === 0 ? {} : { id: next + 1 + n }), name: `n${n}`, photoUrls: [], tags: [{ id: n }] }),
      ),
    );
    const stored = answers
      .filter(({ status }) => status === 200)
      .map(({ body }) => body as { id: number; name: string });
    expect(new Set(answers.map(({ status }) => status))).not.toContain(500);
    expect(answers.filter((_, n) => n % 2 === 0).every(({ status }) => status === 200)).toBe(true);
    expect(new Set(stored.map(({ id }) => id)).size).toBe(stored.length);
    const found = await Promise.all(stored.map(({ id }) => read(id).expect(200)));
    expect(found.map(({ body }) => body as object)).toEqual(stored);
  });
});

describe('POST /v2/pet/{petId}', () => {
  const change = (id: number | string) => running.http.post(`/v2/pet/${id}`).set(bearer());

  it.each([
    [{ name: 'Max' }, { name: 'Max', status: 'available' }],
    [{ status: 'sold' }, { name: 'Rex', status: 'sold' }],
    [
      { name: 'Max & Co', status: 'pending' },
      { name: 'Max & Co', status: 'pending' },
    ],
    [{ extra: 'x' }, { name: 'Rex', status: 'available' }],
  ])('sets %j from a form or from the query, and leaves the rest', async (members, expected) => {
    const rest = { photoUrls: ['a'], tags: [{ id: 1, name: 'calm' }], category: { id: 1 } };
    for (const send of ['form', 'query'] as const) {
      const id = await newPet({ status: 'available', ...rest });
      const answer = await (send === 'form' ? change(id).type('form').send(members) : change(id).query(members)).expect(
        200,
      );
      const { body, headers } = await read(id);
      expect(body).toEqual({ id, ...rest, ...expected });
      expect(answer.body).toEqual(body);
      expect(headers.etag).toBe(answer.headers.etag);
    }
  });

  it('takes what comes by the form and what comes by the query, but no member both ways', async () => {
    const id = await newPet();
    await change(id).query({ name: 'query' }).type('form').send({ status: 'sold' }).expect(200);
    const { body } = await change(id).query({ name: 'a', x: '' }).type('form').send({ name: 'a', x: '' }).expect(400);
    expect(body.errors).toMatchObject([{ pointer: 'name' }]);
    expect((await read(id)).body).toEqual({ id, name: 'query', photoUrls: [], status: 'sold' });
  });

  it.each(['name=', 'name=%20', 'name=a&name=b', 'status=lost', 'status=', 'name=%00', `name=${'x'.repeat(256)}`])(
    'answers 400 to %s, in the body and in the query',
    async (form) => {
      const id = await newPet();
      const pointer = form.slice(0, form.indexOf('='));
      for (const answer of [await change(id).type('form').send(form), await change(`${id}?${form}`)]) {
        expect(answer.status).toBe(400);
        expect(answer.body).toMatchObject({ ...problem('validation-failed', 400), errors: [{ pointer }] });
      }
      expect((await read(id)).body).toEqual({ id, name: 'Rex', photoUrls: [] });
    },
  );

  it('answers 401, 415, 400 and 404', async () => {
    const id = await newPet();
    await running.http.post(`/v2/pet/${id}`).type('form').send({ name: 'Max' }).expect(401);
    await change(id).send({ name: 'Max' }).expect(415);
    await change('abc').type('form').send({ name: 'Max' }).expect(400);
    const { body, headers } = await change('9223372036854775806').type('form').send({ name: 'Max' }).expect(404);
    expect(body).toMatchObject(problem('pet-not-found', 404));
    expect(headers).not.toHaveProperty('etag');
    expect((await read(id)).body.name).toBe('Rex');
  });
});

describe('DELETE /v2/pet/{petId}', () => {
  const remove = (id: number | string) => running.http.delete(`/v2/pet/${id}`).set(bearer());

  it('answers 200 with zero bytes, and 404 the second time', async () => {
    const id = await newPet({ tags: [{ name: 'gone' }] });
    const answer = await remove(id).expect(200);
    expect([answer.text, answer.headers['content-length']]).toEqual(['', '0']);
    await read(id).expect(404);
    await running.http.get(`/v1/pet/${id}`).expect(404);
    const { body } = await remove(id).expect(404);
    expect(body).toMatchObject(problem('pet-not-found', 404));
    expect(await running.query(`SELECT * FROM pet_tag WHERE pet_id = ${id}`)).toEqual([]);
    expect((await running.http.get('/v2/pet/findByTags?tags=gone')).body).toEqual([]);
    await running.http.put('/v2/pet').set(bearer()).send({ id, name: 'Rex', photoUrls: [] }).expect(404);
    await running.http.post(`/v2/pet/${id}?name=Max`).set(bearer()).expect(404);
  });

  it('never gives the id again, but a client may bring it', async () => {
    const id = await newPet();
    await remove(id).expect(200);
    expect(await newPet()).not.toBe(id);
    expect(await newPet({ id })).toBe(id);
    await remove(id).expect(200);
  });

  it('answers 200 to one of several at the same time', async () => {
    const id = await newPet();
    const statuses = (await Promise.all(Array.from({ length: 10 }, () => remove(id)))).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, ...Array<number>(9).fill(404)]);
  });

  it('answers 401 and 400', async () => {
    const id = await newPet();
    await running.http.delete(`/v2/pet/${id}`).expect(401);
    await remove('0').expect(400);
    await read(id).expect(200);
  });
});

describe('PET_READING', () => {
  const paths = ['/v1/pet/1', '/v2/pet/1', '/v1/pet', '/v2/pet/findByStatus?status=sold', '/v2/pet/findByTags?tags=a'];

  it('=token asks readers for a token', async () => {
    const guarded = await startApp({ PET_READING: 'token' });
    const own = await tokenFor(guarded);
    for (const path of paths) {
      const { headers } = await guarded.http.get(path).expect(401);
      expect(headers['www-authenticate']).toMatch('Bearer');
      await guarded.http.head(path).expect(401);
      const { status } = await guarded.http.get(path).set('Authorization', `Bearer ${own}`);
      expect(status).toBe(path.endsWith('/1') ? 404 : 200);
    }
    await guarded.http.post('/v1/pet').send({ name: 'Rex' }).expect(201);
    await guarded.stop();
  });

  it('=closed closes reading, and nothing else', async () => {
    const closed = await startApp({ PET_READING: 'closed' });
    for (const path of paths) {
      expect((await closed.http.get(path).expect(403)).body).toMatchObject(problem('closed', 403));
    }
    await closed.http.post('/v1/pet').send({ name: 'Rex' }).expect(201);
    await closed.stop();
  });
});
