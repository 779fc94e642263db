import { startApp, tokenFor, type RunningApp } from './support/start-app';

/*
 * Where the frameworks underneath would answer wrongly by themselves: one test for each, with the right value.
 */

let running: RunningApp;
let authorization: { Authorization: string };
let id: number;
beforeAll(async () => {
  running = await startApp();
  authorization = { Authorization: `Bearer ${await tokenFor(running)}` };
  id = (await running.http.post('/v1/pet').send({ name: 'Rex' })).body.id as number;
});
afterAll(() => running.stop());

const bulk = (body: string) =>
  running.http.post('/v2/user/createWithArray').set('Content-Type', 'application/json').send(body);
const put = (body: object | string) =>
  running.http.put('/v2/pet').set(authorization).set('Content-Type', 'application/json').send(body);
const pointers = (body: { errors: { pointer: string }[] }) => body.errors.map(({ pointer }) => pointer);

it('checks every element of an array: Nest checks none, and its ParseArrayPipe takes null for an object', async () => {
  const { body } = await bulk('[{"username":"fine"},null,{"email":7},[],{"userStatus":"1"}]').expect(400);
  expect(pointers(body)).toEqual(['/1', '/2/email', '/3', '/4/userStatus']);
  expect(await running.query(`SELECT 1 FROM "user" WHERE username = 'fine'`)).toEqual([]);
});

it('keeps every digit of an int64: JSON.parse rounds, and IsInt takes what was rounded', async () => {
  await bulk('[{"id":9007199254740993,"username":"exact"}]').expect(200);
  const stored = await running.query(`SELECT CAST(id AS text) AS id FROM "user" WHERE username = 'exact'`);
  expect(stored).toEqual([{ id: '9007199254740993' }]);
  for (const wrong of ['9223372036854775808', '1e30', '1e400', '9007199254740993.5']) {
    expect(pointers((await bulk(`[{"id":${wrong}}]`).expect(400)).body)).toEqual(['/0/id']);
  }
});

it('takes the last of a repeated member, with and without long numbers', async () => {
  for (const extra of ['', ',"x":12345678901234567890']) {
    const pet = running.http.post('/v1/pet').set('Content-Type', 'application/json');
    const { body } = await pet.send(`{"name":"first","name":"last"${extra}}`).expect(201);
    expect(body.name).toBe('last');
  }
});

it('refuses deep nesting before validation: class-transformer would run out of stack', async () => {
  const deep = (open: string, close: string, levels = 45_000) => open.repeat(levels) + close.repeat(levels);
  for (const photoUrls of [deep('[', ']', 32), deep('[', ']'), deep('{"a":', '}'), '['.repeat(45_000)]) {
    const { body } = await put(`{"id":${id},"name":"Rex","photoUrls":${photoUrls}}`).expect(400);
    expect(body.type).toBe('/problems/malformed-json');
  }
});

it('finds a token in the header only, and says what is wrong with it: passport takes it from query and body', async () => {
  const token = authorization.Authorization.slice('Bearer '.length);
  const pet = { id, name: 'Rex', photoUrls: [], access_token: token };
  const stranger = await running.http.put(`/v2/pet?access_token=${token}`).send(pet).expect(401);
  expect(stranger.headers['www-authenticate']).toBe('Bearer realm="pet-user-service"');
  const malformed = await running.http.put('/v2/pet').set('Authorization', 'Bearer').send(pet).expect(400);
  expect(malformed.headers['www-authenticate']).toBe('Bearer realm="pet-user-service", error="invalid_request"');
});

it('answers the token as JSON without an ETag: Express would call it HTML, and derive the ETag from it', async () => {
  const { headers, text } = await running.http.get('/v2/user/login?username=tess&password=right').expect(200);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(text).toMatch(/^"pus_[\w-]{43}"$/);
  expect(headers).not.toHaveProperty('etag');
});

it('refuses a parameter that stands twice: Nest would join both to one string', async () => {
  const { body } = await running.http.get('/v2/user/login?username=te&username=ss&password=right').expect(400);
  expect(pointers(body)).toEqual(['username']);
});

it('answers 413 and 415 as problems: they are no HttpException, and text arrives as no body at all', async () => {
  const large = await put(' '.repeat(1_048_577)).expect(413);
  expect(large.body).toMatchObject({ type: '/problems/body-too-large', status: 413 });
  const text = await running.http
    .put('/v2/pet')
    .set(authorization)
    .set('Content-Type', 'text/plain')
    .send('x')
    .expect(415);
  expect(text.body).toMatchObject({ type: '/problems/unsupported-media-type', status: 415 });
});

it('answers update pet in its own way to what the global pipe finds', async () => {
  expect((await put({ id: 'x', name: '' }).expect(400)).text).toBe('');
  expect((await put({ id, name: '' }).expect(405)).body).toMatchObject({ type: '/problems/validation-exception' });
});
