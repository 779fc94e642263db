import { Operations } from '../src/platform/http';
import { AUDIENCE, Issuer } from './support/issuer';
import { startApp, tokenFor, type RunningApp } from './support/start-app';
import { createTestDatabase, lasting, onPostgres } from './support/test-database';

let running: RunningApp;
let token: string;
beforeAll(async () => (running = await startApp()));
beforeEach(async () => {
  await running.empty();
  token = await tokenFor(running);
});
afterAll(() => running.stop());

const auth = (of = token) => ({ Authorization: `Bearer ${of}` });
const at = (name: string) => `/v2/user/${encodeURIComponent(name)}`;
const create = (body: object | string) =>
  running.http.post('/v2/user').set('Content-Type', 'application/json').send(body);
const read = (name = 'tess', of = token, { http } = running) => http.get(at(name)).set(auth(of));
const update = (body: object | string, name = 'tess', of = token) =>
  running.http.put(at(name)).set(auth(of)).set('Content-Type', 'application/json').send(body);
const remove = (name = 'tess', of = token) => running.http.delete(at(name)).set(auth(of));
const logIn = async (username: string, password: string, { http } = running) =>
  (await http.get('/v2/user/login').query({ username, password })).body as string;
const isIn = async (of: string, { http } = running) => {
  const { status } = await http.put('/v2/pet').set(auth(of)).send({ id: 1, name: 'x', photoUrls: [] });
  expect([401, 404]).toContain(status);
  return status === 404;
};

const whole = {
  username: 'é/ü ?#%',
  firstName: 'Tess',
  lastName: 'Smith',
  email: 't@mail.example',
  phone: '+1',
  userStatus: 3,
};

describe('POST /v2/user', () => {
  it('stores one user, and answers all of it but the password, and where it can be read', async () => {
    const { body, headers, text } = await create({ ...whole, id: 0, password: 'canary' }).expect(200);
    expect(body).toEqual({ ...whole, id: 1_000_002 });
    expect(text).not.toMatch(/canary|argon2|password|version/);
    expect(headers['content-location']).toBe('/v2/user/%C3%A9%2F%C3%BC%20%3F%23%25');
    const own = await logIn(whole.username, 'canary');
    const answer = await running.http.get(headers['content-location']!).set(auth(own)).expect(200);
    expect([answer.body, answer.headers.etag]).toEqual([body, headers.etag]);
  });

  it('leaves out what is absent, and stores a user without a name, who has no address', async () => {
    const { body, headers } = await create({ id: -5, password: null, email: null }).expect(200);
    expect(body).toEqual({ id: -5 });
    expect(headers).not.toHaveProperty('content-location');
  });

  it('keeps every digit of an id', async () => {
    const { text } = await create('{"id":9223372036854775807,"username":"big","password":"p"}').expect(200);
    expect(text).toContain('"id":9223372036854775807,');
    expect((await read('big', await logIn('big', 'p')).expect(200)).text).toBe(text);
  });

  it('answers 409 to a name or an id that is taken, changes nobody and stores nothing', async () => {
    await create({ id: 7, username: 'e\u0301' }).expect(200);
    const { body } = await create({ id: 7, username: 'é', password: 'mine' }).expect(409);
    expect(body).toMatchObject({
      type: '/problems/user-taken',
      errors: [{ pointer: '/id' }, { pointer: '/username' }],
    });
    await create({ username: 'tess', password: 'mine' }).expect(409);
    expect(await logIn('tess', 'right')).toMatch(/^pus_/);
    expect(await running.query('SELECT id FROM "user"')).toHaveLength(2);
  });

  it.each([
    ['[]', ''],
    ['null', ''],
    ['{"id":"7"}', '/id'],
    ['{"email":7}', '/email'],
    ['{"username":"login"}', '/username'],
  ])('answers 400 to %s', async (body, pointer) => {
    expect((await create(body).expect(400)).body).toMatchObject({ errors: [{ pointer }] });
  });

  it('opens and closes as the operator wants', async () => {
    for (const [policy, status] of Object.entries({ token: 401, closed: 403 })) {
      const guarded = await startApp({ USER_CREATION: policy });
      await guarded.http.post('/v2/user').send({}).expect(status);
      await guarded.stop();
    }
  });

  it('is repeated safely under an Idempotency-Key, and forgets the answer with the user', async () => {
    const repeat = () => create({ username: 'ann', password: 'p' }).set('Idempotency-Key', 'k');
    const first = await repeat().expect(200);
    const again = await repeat().expect(200);
    expect([again.text, again.headers['idempotency-replayed']]).toEqual([first.text, 'true']);
    expect([again.headers.etag, again.headers['content-location']]).toEqual([
      first.headers.etag,
      first.headers['content-location'],
    ]);
    await remove('ann', await logIn('ann', 'p')).expect(200);
    await repeat().expect(422);
  });
});

describe('names that nobody can take from now on', () => {
  const paths = ['login', 'logout', 'createWithList', 'createWithArray'];
  const unseen = [' tess', 'tess\u3000', '\u0085', 'te\tss', 'te\u200bss', '\ufefftess', 'te\u{e0001}ss', 'te\u2028ss'];

  it('are all words that the table of operations has in the place of a username', () => {
    const words = Operations.of(running.app).all.map(({ template }) => /^\/v2\/user\/(\w+)$/.exec(template)?.[1]);
    expect([...new Set(words.filter((word) => word !== undefined))].sort()).toEqual([...paths].sort());
  });

  it.each([...paths, '.', '..', ...unseen])('are refused on every way in: %j', async (username) => {
    for (const path of ['createWithList', 'createWithArray']) {
      const { body } = await running.http.post(`/v2/user/${path}`).send([{}, { username }]).expect(400);
      expect(body).toMatchObject({ errors: [{ pointer: '/1/username' }] });
    }
    expect((await create({ username }).expect(400)).body).toMatchObject({ errors: [{ pointer: '/username' }] });
    expect((await update({ username }).expect(400)).body).toMatchObject({ errors: [{ pointer: '/username' }] });
  });

  it('are others: white space within, marks and every script', async () => {
    for (const username of ['te ss', 'te\u00a0ss', '...', '.tess', 'नमस्ते', '🐈', 'Login']) {
      await create({ username }).expect(200);
    }
  });

  it('still log in where an earlier release let them be taken, and may stay as they are', async () => {
    await running.database.write((manager) => manager.query(`UPDATE "user" SET username = ' te\u200bss '`));
    const old = ' te\u200bss ';
    const own = await logIn(old, 'right');
    const { body } = await read(old, own).expect(200);
    await update(body as object, old, own).expect(200);
    await update({ username: 'tess ' }, old, own).expect(400);
    await update({ username: 'tess' }, old, own).expect(200);
  });
});

describe('GET /v2/user/{username}', () => {
  it('answers the user whom the token is of, and nothing of the password', async () => {
    const { body, text, headers } = await read().expect(200);
    expect(body).toEqual({ id: 1_000_001, username: 'tess' });
    expect(text).not.toMatch(/right|argon2|password|version/);
    expect(headers.etag).toMatch(/^"[0-9a-z]+"$/);
    expect(headers['cache-control']).toBe('no-store');
  });

  it('compares names in Unicode NFC, by letter case', async () => {
    const own = await tokenFor(running, 'ré');
    await read('re\u0301', own).expect(200);
    await read('RÉ', own).expect(403);
  });

  it('answers HEAD as GET, without the body', async () => {
    const { headers: full } = await read();
    const { headers, text } = await running.http.head(at('tess')).set(auth()).expect(200);
    expect(text).toBeFalsy();
    expect([headers.etag, headers['content-length']]).toEqual([full.etag, full['content-length']]);
  });

  it('answers 304 to who has this version', async () => {
    const { etag } = (await read()).headers as { etag: string };
    const answer = await read().set('If-None-Match', `"x", ${etag}`).expect(304);
    expect([answer.text, answer.headers.etag]).toEqual(['', etag]);
    await read().set('If-None-Match', '"x"').expect(200);
    await read().set('If-Match', '"x"').expect(412);
    await read().set('If-Match', 'x').expect(400);
  });

  it('asks for a token', async () => {
    await running.http.get(at('tess')).expect(401);
    await running.http.get(at('tess')).set('Cookie', `session=${token}`).expect(401);
    await read('tess', 'pus_' + 'a'.repeat(43)).expect(401);
  });

  it.each(['%ff', '%00', 'a'.repeat(256), '%ed%a0%80'])('answers 400 to the name %.20s', async (name) => {
    await running.http.get(`/v2/user/${name}`).set(auth()).expect(400);
    await running.http.delete(`/v2/user/${name}`).set(auth()).expect(400);
  });
});

describe("another user's address", () => {
  const requests = {
    GET: undefined,
    HEAD: undefined,
    PUT: JSON.stringify({ username: 'mine', password: 'mine' }),
    DELETE: undefined,
  };

  it.each(Object.entries(requests))(
    'is answered by 403 to %s, whether there is such a user or not',
    async (method, body) => {
      const tom = await tokenFor(running, 'tom');
      const before = await running.query('SELECT * FROM "user" ORDER BY id');
      const answers = ['tom', 'nobody', 'TESS', 'tess\u00a0', '1000002'].map(async (name) => {
        const answer = await fetch(running.url + at(name), {
          method,
          body,
          headers: { ...auth(), 'Content-Type': 'application/json', 'X-Request-Id': 'same', 'If-Match': '"x"' },
        });
        const headers = [...answer.headers].filter(([header]) => header !== 'date');
        return { status: answer.status, headers, text: await answer.text() };
      });
      const [first, ...others] = await Promise.all(answers);
      expect(first).toMatchObject({ status: 403 });
      others.forEach((other) => expect(other).toEqual(first));
      expect(await running.query('SELECT * FROM "user" ORDER BY id')).toEqual(before);
      await read('tom', tom).expect(200);
    },
  );

  it('is nobody’s who has a token of an issuer elsewhere, not even with the id of a user', async () => {
    const issuer = new Issuer();
    await issuer.start();
    const other = await startApp({ OAUTH_ISSUER: issuer.url, OAUTH_AUDIENCE: AUDIENCE });
    const { http } = other;
    await http.post('/v2/user').send({ id: 7, username: '7' }).expect(200);
    const foreign = await issuer.token({ claims: { sub: '7' } });
    for (const method of ['get', 'put', 'delete'] as const) {
      const { body } = await http[method]('/v2/user/7')
        .set(auth(foreign))
        .send(method === 'put' ? {} : undefined)
        .expect(403);
      expect(body).toMatchObject({ type: '/problems/not-that-user' });
    }
    await other.stop();
    await issuer.stop();
  });
});

describe('PUT /v2/user/{username}', () => {
  it('replaces the user whole, without a body, and GET answers what was put', async () => {
    await update({ ...whole, username: 'tess', unknown: 1 }).expect(200, '');
    expect((await read()).body).toEqual({ ...whole, username: 'tess', id: 1_000_001 });
    const { text, headers } = await update({ id: 0, firstName: null, phone: '5' }).expect(200);
    expect([text, headers['content-length']]).toEqual(['', '0']);
    const { body, headers: read2 } = await read();
    expect(body).toEqual({ id: 1_000_001, username: 'tess', phone: '5' });
    expect(headers.etag).toBe(read2.etag);
    await update(body as object).expect(200);
    expect((await read()).body).toEqual(body);
  });

  it('keeps the password where none is given; a new one ends all other sessions', async () => {
    const other = await logIn('tess', 'right');
    const tom = await tokenFor(running, 'tom');
    await update({ email: 'x' }).expect(200);
    expect(await isIn(other)).toBe(true);
    await update({ password: 'new' }).expect(200);
    expect([await isIn(token), await isIn(other), await isIn(tom)]).toEqual([true, false, true]);
    await running.http.get('/v2/user/login?username=tess&password=right').expect(401);
    expect(await isIn(await logIn('tess', 'new'))).toBe(true);
    expect((await read()).text).not.toMatch(/new|argon2/);
  });

  it('lets no log-in slip through that began with the old password', async () => {
    const logIns = Array.from({ length: 5 }, () => logIn('tess', 'right'));
    await update({ password: 'new' }).expect(200);
    const tokens = (await Promise.all(logIns)).filter((answer) => typeof answer === 'string');
    const open = await running.query('SELECT token_hash FROM session');
    expect(open.length).toBeLessThanOrEqual(1);
    for (const old of tokens) {
      expect(await isIn(old)).toBe(false);
    }
  });

  it('renames: the session goes on, under the new name only, which others cannot take', async () => {
    await update({ username: 're\u0301' }).expect(200);
    await read('ré').expect(200);
    await read('tess').expect(403);
    expect(await logIn('ré', 'right')).toMatch(/^pus_/);
    await create({ username: 'ré' }).expect(409);
    await create({ username: 'tess' }).expect(200);
    const { body } = await update({ username: 'tess' }, 'ré').expect(409);
    expect(body).toMatchObject({ type: '/problems/user-taken', errors: [{ pointer: '/username' }] });
    await update({ username: 'ré', email: 'x' }, 'ré').expect(200);
  });

  it('lets one of many who want a name at the same time have it', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const tokens: string[] = [];
    for (const name of names) {
      tokens.push(await tokenFor(running, name));
    }
    const answers = await Promise.all(
      names.map((name, n) => update({ username: 'wanted' }, name, tokens[n]).then(({ status }) => status)),
    );
    expect(answers.sort()).toEqual([200, 409, 409, 409, 409]);
  });

  it.each([
    [{ id: 8 }, '/id'],
    ['{"id":9223372036854775807}', '/id'],
    [{ username: '' }, '/username'],
    [{ username: 'a\0' }, '/username'],
    [{ password: '' }, '/password'],
    [{ password: 'é'.repeat(513) }, '/password'],
    [{ userStatus: 1.5 }, '/userStatus'],
    ['[]', ''],
  ])('answers 400 to %j and changes nothing', async (body, pointer) => {
    const before = await running.query('SELECT * FROM "user"');
    expect((await update(body).expect(400)).body).toMatchObject({ errors: [{ pointer }] });
    expect(await running.query('SELECT * FROM "user"')).toEqual(before);
  });

  it('heeds conditions, in the version that it changes', async () => {
    const { etag } = (await read()).headers as { etag: string };
    await update({ phone: '1' }).set('If-Match', '"x"').expect(412);
    await update({ phone: '1' }).set('If-None-Match', '*').expect(412);
    await update({ phone: '1' }).set('If-Match', `W/${etag}`).expect(412);
    expect((await read()).headers.etag).toBe(etag);
    const answers = await Promise.all(
      [1, 2, 3, 4].map((n) =>
        update({ phone: String(n) })
          .set('If-Match', etag)
          .then(({ status }) => status),
      ),
    );
    expect(answers.sort()).toEqual([200, 412, 412, 412]);
  });

  it('loses no update of clients that read, change and put under a condition', async () => {
    const add = async (): Promise<void> => {
      const { body, headers } = await read();
      const count = { ...body, userStatus: ((body as { userStatus?: number }).userStatus ?? 0) + 1 };
      const { status } = await update(count).set('If-Match', headers.etag!);
      expect([200, 412]).toContain(status);
      return status === 412 ? add() : undefined;
    };
    await Promise.all(Array.from({ length: 10 }, add));
    expect((await read()).body).toMatchObject({ userStatus: 10 });
  });
});

describe('DELETE /v2/user/{username}', () => {
  it('ends all sessions, frees the name, and leaves nothing of the user', async () => {
    const other = await logIn('tess', 'right');
    await update({ ...whole, username: 'tess' }).expect(200);
    await running.http.get('/v2/user/login?username=tess&password=wrong').expect(401);
    await remove().set('If-Match', '"x"').expect(412);
    const { text, headers } = await remove().expect(200);
    expect([text, headers['content-length']]).toEqual(['', '0']);
    expect([await isIn(token), await isIn(other)]).toEqual([false, false]);
    for (const table of ['user', 'session', 'device']) {
      expect(await running.query(`SELECT * FROM "${table}"`)).toEqual([]);
    }
    // What is left counts for the address.
    expect(await running.query('SELECT * FROM login_failures')).toHaveLength(1);
    await running.http.get('/v2/user/login?username=tess&password=right').expect(401);
    await create({ id: 1_000_001, username: 'tess', password: 'theirs' }).expect(200);
    expect([await isIn(token), await isIn(other)]).toEqual([false, false]);
    await read('tess').expect(401);
  });

  it('gives whoever takes the name no version of who had it', async () => {
    const { etag } = (await read()).headers as { etag: string };
    await remove().expect(200);
    await create({ id: 1_000_001, username: 'tess', password: 'right' }).expect(200);
    const own = await logIn('tess', 'right');
    await read('tess', own).set('If-None-Match', etag).expect(200);
    await remove('tess', own).set('If-Match', etag).expect(412);
  });

  it('lets no log-in slip through that began before', async () => {
    const logIns = Array.from({ length: 5 }, () => logIn('tess', 'right'));
    await remove().expect(200);
    await Promise.all(logIns);
    expect(await running.query('SELECT token_hash FROM session')).toEqual([]);
  });

  it('is done once by many who ask at the same time', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => remove().then(({ status }) => status)));
    expect(answers.filter((status) => status === 200)).toHaveLength(1);
    answers.filter((status) => status !== 200).forEach((status) => expect([401, 403]).toContain(status));
  });
});

(onPostgres ? it : it.skip)('ends sessions in every process at once, by a new password and by deletion', async () => {
  const database = await createTestDatabase();
  const [first, second] = [await startApp({}, lasting(database)), await startApp({}, lasting(database))];
  const own = await tokenFor(first);
  const other = await logIn('tess', 'right', second);
  await first.http.put(at('tess')).set(auth(own)).send({ password: 'new' }).expect(200);
  expect([await isIn(other, second), await isIn(own, second)]).toEqual([false, true]);
  await first.http.delete(at('tess')).set(auth(own)).expect(200);
  expect(await isIn(own, second)).toBe(false);
  await first.stop();
  await second.stop();
  await database.drop();
});
