import { startApp, type RunningApp } from './support/start-app';

describe('POST /v1/pet', () => {
  let running: RunningApp;
  const create = (body: object | string) =>
    running.http.post('/v1/pet').set('Content-Type', 'application/json').send(body);

  beforeAll(async () => (running = await startApp()));
  afterAll(() => running.stop());

  it('answers 201 with the pet, absent members left out', async () => {
    const { body, headers } = await create({ name: 'Rex', breed: null, id: 99, extra: { a: 1 } }).expect(201);
    expect(body).toEqual({ id: expect.any(Number), name: 'Rex' });
    expect(headers['content-type']).toMatch('application/json');
    expect(headers).not.toHaveProperty('x-powered-by');
    expect(headers.location).toBe(`/v1/pet/${body.id}`);
  });

  it.each([
    [{ owner_id: 'o-1' }, { owner_id: 'o-1' }],
    [
      { owner: { id: 'o-1', name: 'Ann', species: 'human' } },
      { owner_id: 'o-1', owner: { id: 'o-1', name: 'Ann', species: 'human' } },
    ],
    [{ owner: { name: 'Ann', age: 7 } }, { owner: { name: 'Ann' } }],
    [
      { owner_id: 'o-1', owner: { id: 'o-1' } },
      { owner_id: 'o-1', owner: { id: 'o-1' } },
    ],
    [{ owner: null, species: 'dog' }, { species: 'dog' }],
  ])('takes the owner form %j', async (given, kept) => {
    const { body } = await create({ name: 'Rex', ...given }).expect(201);
    const { id, ...rest } = body as { id: number };
    expect(id).toBeGreaterThan(0);
    expect(rest).toEqual({ name: 'Rex', ...kept });
  });

  it.each([
    [{}, '/name'],
    [{ name: null }, '/name'],
    [{ name: ' \t\u00a0' }, '/name'],
    [{ name: 7 }, '/name'],
    [{ name: 'x'.repeat(256) }, '/name'],
    [{ name: '\u{1f436}'.repeat(256) }, '/name'],
    [{ name: 'a\0b' }, '/name'],
    [{ name: 'Rex', species: true }, '/species'],
    [{ name: 'Rex', breed: ['a'] }, '/breed'],
    [{ name: 'Rex', owner_id: 7 }, '/owner_id'],
    [{ name: 'Rex', owner: 'Ann' }, '/owner'],
    [{ name: 'Rex', owner: [] }, '/owner'],
    [{ name: 'Rex', owner: { id: 7 } }, '/owner/id'],
    [{ name: 'Rex', owner_id: 'a', owner: { id: 'b' } }, '/owner/id'],
    [[], ''],
  ])('answers 400 to %j and points to %j', async (body, pointer) => {
    const { body: problem, headers } = await create(body).expect(400);
    expect(headers['content-type']).toMatch('application/problem+json');
    expect(problem).toMatchObject({ type: '/problems/validation-failed', status: 400, errors: [{ pointer }] });
    expect(problem.requestId).toBe(headers['x-request-id']);
  });

  it('counts characters, not code units', async () => {
    await create({ name: '\u{1f436}'.repeat(255) }).expect(201);
  });

  it('says what is missing', async () => {
    const { body } = await create({ species: 'dog' }).expect(400);
    expect(body.errors).toEqual([{ pointer: '/name', detail: 'is missing' }]);
  });

  it('refuses a lone surrogate', async () => {
    await create('{"name":"a\\ud800"}').expect(400);
  });

  it('keeps strings byte for byte', async () => {
    const name = 'e\u0301 \u00e9 \u{1f436}  "\\';
    const { body } = await create({ name }).expect(201);
    expect(body.name).toBe(name);
    const rows = await running.query<{ name: string }>(`SELECT name FROM pet WHERE id = ${Number(body.id)}`);
    expect(rows).toEqual([{ name }]);
  });

  it.each(['{"__proto__":{"name":"evil"}}', '{"constructor":{"name":"evil"}}'])('is not fooled by %s', async (body) => {
    await create(body).expect(400);
    expect(({} as { name?: string }).name).toBeUndefined();
  });

  it('takes a token when the operator wants one', async () => {
    const guarded = await startApp({ PET_CREATION: 'token' });
    await guarded.http.post('/v1/pet').send({ name: 'Rex' }).expect(401);
    await guarded.stop();
  });
});
