import { exchange } from './support/exchange';
import { startApp, tokenFor, type RunningApp } from './support/start-app';

let running: RunningApp;
beforeAll(async () => (running = await startApp()));
beforeEach(() => running.empty());
afterAll(() => running.stop());

const bulk = (body: object | string, path = 'createWithList') =>
  running.http.post(`/v2/user/${path}`).set('Content-Type', 'application/json').send(body);
const logIn = (username: string, password: string) => running.http.get('/v2/user/login').query({ username, password });
const users = () =>
  running.query<{ id: string; username: string }>(
    'SELECT CAST(id AS text) AS id, username FROM "user" ORDER BY username NULLS FIRST, id',
  );
const updateStatus = async (token: string) =>
  (await running.http.put('/v2/pet').set('Authorization', `Bearer ${token}`).send({ id: 1, name: 'x', photoUrls: [] }))
    .status;

describe.each(['createWithList', 'createWithArray'])('POST /v2/user/%s', (path) => {
  it('stores all users and answers 200 without a body', async () => {
    const given =
      '[{"id":9223372036854775807,"username":"a","password":"p","userStatus":-2147483648},{"id":0},{}, {"username":"b","x":1}]';
    const answer = await bulk(given, path).expect(200);
    expect([answer.text, answer.headers['content-length']]).toEqual(['', '0']);
    expect(await users()).toEqual([
      { id: '1000001', username: null },
      { id: '1000002', username: null },
      { id: '9223372036854775807', username: 'a' },
      { id: '1000003', username: 'b' },
    ]);
  });

  it.each([
    ['{}', ''],
    ['[null]', '/0'],
    ['[{}, 7]', '/1'],
    ['[[]]', '/0'],
    ['[{},{},{},{"email":5}]', '/3/email'],
    ['[{"id":-9223372036854775809}]', '/0/id'],
    ['[{"id":9223372036854775808}]', '/0/id'],
    ['[{"id":"1"}]', '/0/id'],
    ['[{"userStatus":2147483648}]', '/0/userStatus'],
    ['[{"userStatus":1.5}]', '/0/userStatus'],
    ['[{"username":"a\\u0000"}]', '/0/username'],
    [JSON.stringify([{ password: 'é'.repeat(513) }]), '/0/password'],
    [JSON.stringify(Array(1001).fill({})), ''],
  ])('answers 400 to %.40s, points to %j and stores nothing', async (body, pointer) => {
    const { body: problem } = await bulk(body, path).expect(400);
    expect(problem).toMatchObject({ type: '/problems/validation-failed', errors: [{ pointer }] });
    expect(await users()).toEqual([]);
  });

  it('answers 409 with a pointer to each taken name and id, and stores nothing', async () => {
    await bulk([{ id: 5, username: 'é', password: 'old' }], path).expect(200);
    const { body } = await bulk(
      [{ username: 'new' }, { username: 'e\u0301', password: 'mine' }, { id: 5 }],
      path,
    ).expect(409);
    expect(body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/1/username', '/2/id']);
    const twice = await bulk([{ username: 'x' }, { username: 'x' }, { id: 7 }, { id: 7 }], path).expect(409);
    expect(twice.body.errors).toHaveLength(4);
    expect(await users()).toEqual([{ id: '5', username: 'é' }]);
    await logIn('é', 'old').expect(200);
    await logIn('É', 'old').expect(401);
  });

  it('takes an empty array', async () => {
    await bulk([], path).expect(200);
    expect(await users()).toEqual([]);
  });
});

it('keeps every id of int64 but 0 that a client brings', async () => {
  const ids = ['-9223372036854775808', '-1', '1', '9007199254740993', '9223372036854775807'];
  await bulk(`[${ids.map((id) => `{"id":${id}}`).join()}]`).expect(200);
  expect((await users()).map(({ id }) => id).sort()).toEqual([...ids].sort());
  const { body } = await bulk(`[{"id":0},{"id":-9223372036854775808}]`).expect(409);
  expect(body.errors).toEqual([{ pointer: '/1/id', detail: 'is taken' }]);
});

it('keeps every text as it is', async () => {
  const text = '"\\ \u0001\u007f\uffff é e\u0301 \u{1f600} [] {} null $1 ? %s';
  await bulk([{ username: '1', firstName: text, lastName: '', email: 'null', phone: '007' }]).expect(200);
  const [row] = await running.query('SELECT * FROM "user"');
  expect(row).toMatchObject({ username: '1', first_name: text, last_name: '', email: 'null', phone: '007' });
  expect(row).toMatchObject({ user_status: null, password_hash: null });
});

it('stores every member in its column', async () => {
  const user = { id: 7, username: 'a', firstName: 'b', lastName: 'c', email: 'd', phone: 'e', userStatus: 8 };
  await bulk([{ ...user, password: 'f' }]).expect(200);
  const [row] = await running.query('SELECT * FROM "user"');
  expect(row).toEqual({
    id: 7,
    username: 'a',
    first_name: 'b',
    last_name: 'c',
    email: 'd',
    phone: 'e',
    user_status: 8,
    password_hash: expect.stringMatching(/^\$argon2id\$/) as string,
    version: expect.any(Number) as number,
  });
});

describe('numbering', () => {
  const numbersOf = async (count: number) => {
    const known = new Set((await users()).map(({ id }) => id));
    await bulk(Array(count).fill({})).expect(200);
    return (await users()).map(({ id }) => Number(id)).filter((id) => !known.has(String(id)));
  };
  const take = async (ids: number[]) => {
    for (let at = 0; at < ids.length; at += 1_000) {
      await bulk(ids.slice(at, at + 1_000).map((id) => ({ id }))).expect(200);
    }
  };

  it('passes over numbers that clients took, also within one array', async () => {
    await take([1_000_002]);
    await bulk([{}, {}, { id: 1_000_003 }, {}]).expect(200);
    expect((await users()).map(({ id }) => Number(id) - 1_000_000)).toEqual([1, 2, 3, 4, 5]);
  });

  it.each([
    ['ten thousand in a row', Array.from({ length: 10_000 }, (_, n) => 1_000_001 + n)],
    ['every second', Array.from({ length: 3_000 }, (_, n) => 1_000_002 + 2 * n)],
    ['999 of 1,000', Array.from({ length: 9_990 }, (_, n) => 1_000_002 + n + Math.floor(n / 999))],
    ['the powers of two', Array.from({ length: 33 }, (_, n) => 1_000_000 + 2 ** n)],
    ['the largest of all', [2 ** 53 - 1, 2 ** 53 - 2]],
  ])('passes over %s in a few statements, and not far', async (_, ids) => {
    await take(ids);
    for (const count of [1, 1_000]) {
      const numbers = await numbersOf(count);
      expect(numbers).toHaveLength(count);
      expect(Math.min(...numbers)).toBeGreaterThan(1_000_000);
      expect(Math.max(...numbers)).toBeLessThan(1_100_000);
    }
  });

  it('gives a user another number when a client takes the one just drawn', async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        bulk(n % 2 ? [{}] : [{ id: 1_000_000 + n / 2 }]).then(({ status }) => status),
      ),
    );
    expect(answers.filter((_, n) => n % 2)).toEqual(Array(30).fill(200));
    expect(await users()).toHaveLength(answers.filter((status) => status === 200).length);
  });
});

it('stores a thousand users at once, passwords as argon2id only', async () => {
  await bulk(Array.from({ length: 1000 }, (_, n) => ({ username: `u${n}`, password: `canary-${n}` }))).expect(200);
  const rows = await running.query<{ n: number }>(
    `SELECT count(*) AS n FROM "user" WHERE password_hash LIKE '$argon2id$%'`,
  );
  expect(rows).toEqual([{ n: 1000 }]);
});

it('keeps every acknowledged row and no other when concurrent bulk creates fail', async () => {
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      // every fourth names a user that some other request also names: one of them wins
      bulk([{ username: `a${n}` }, { username: n % 4 === 0 ? 'shared' : `b${n}` }, {}]).then(({ status }) => status),
    ),
  );
  expect(answers.filter((status) => status === 200)).toHaveLength(31);
  expect(answers.filter((status) => status === 409)).toHaveLength(9);
  expect(await users()).toHaveLength(31 * 3);
});

it('lets one of several simultaneous creations have a username', async () => {
  const body = (n: number) => [
    { username: 'shared' },
    ...Array.from({ length: 20 }, (_, i) => ({ username: `${n}-${i}`, password: 'p' })),
  ];
  const answers = await Promise.all([1, 2, 3].map((n) => bulk(body(n)).then(({ status }) => status)));
  expect(answers.sort()).toEqual([200, 409, 409]);
  expect(await users()).toHaveLength(21);
});

it('opens and closes bulk creation as the operator wants', async () => {
  for (const [policy, status] of [
    ['token', 401],
    ['closed', 403],
  ] as const) {
    const guarded = await startApp({ USER_CREATION: policy });
    await guarded.http.post('/v2/user/createWithList').send([]).expect(status);
    await guarded.stop();
  }
});

describe('GET /v2/user/login', () => {
  beforeEach(() => bulk([{ username: 'tess', password: 'pä ss' }, { username: 'nopass' }]).expect(200));

  it('answers the token as a JSON string, with its expiry and a cookie', async () => {
    const { body, headers, text } = await logIn('tess', 'pä ss').expect(200);
    expect(text).toBe(JSON.stringify(body));
    expect(body).toMatch(/^pus_[\w-]{43}$/);
    expect(headers['content-type']).toMatch('application/json');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers).not.toHaveProperty('etag');
    const hours = (Date.parse(headers['x-expires-after']!) - Date.now()) / 3_600_000;
    expect(Math.round(hours)).toBe(24);
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(
        `^session=${body}; Max-Age=86400; Path=/v2/user; Expires=[^;]+; HttpOnly; SameSite=Strict$`,
      ),
      expect.stringMatching(
        /^device=pud_[\w-]{43}; Max-Age=31536000; Path=\/v2\/user; Expires=[^;]+; HttpOnly; SameSite=Strict$/,
      ),
    ]);
    expect(await updateStatus(body as string)).toBe(404);
    const stored = JSON.stringify(await running.query('SELECT * FROM session'));
    expect(stored).not.toContain(String(body).slice(4));
  });

  it('answers the bare token to a client that prefers text', async () => {
    const { text, headers } = await logIn('tess', 'pä ss').set('Accept', 'text/plain').expect(200);
    expect(headers['content-type']).toMatch('text/plain');
    expect(text).toMatch(/^pus_/);
  });

  it('marks the cookie Secure behind a trusted TLS proxy', async () => {
    const proxied = await startApp({ TRUSTED_PROXIES: '1' });
    await tokenFor(proxied);
    const login = proxied.http.get('/v2/user/login?username=tess&password=right').set('X-Forwarded-Proto', 'https');
    expect((await login).headers['set-cookie']![0]).toContain('; Secure');
    await proxied.stop();
  });

  it('takes a plus for a space and ignores other parameters', async () => {
    const login = running.http.get('/v2/user/login?username=tess&password=p%C3%A4+ss&constructor=x&a[b]=c');
    await login.expect(200);
  });

  it.each([
    '',
    '?username=tess',
    '?password=x',
    '?username=&password=x',
    '?username=tess&password=',
    '?username=tess&username=tess&password=x',
    '?username[x]=tess&password=x',
    '?username=%ff%&password=x',
    '?username=%00&password=x',
    '?constructor=a&username=&password=x',
    '?constructor=a&constructor=b&username=&password=x',
    '?__proto__=a&__proto__=b&username=&password=x',
    '?username=tess&password=x&password=',
  ])('answers 400 to %j', async (query) => {
    await running.http.get(`/v2/user/login${query}`).expect(400);
  });
});

describe('POST /v2/user/login', () => {
  const post = (body: object | string) =>
    running.http.post('/v2/user/login').set('Content-Type', 'application/json').send(body);
  beforeEach(() => bulk([{ username: 'tess', password: 'right' }]).expect(200));

  it('answers as log in by GET does, body and headers', async () => {
    const byPost = await post({ username: 'tess', password: 'right' }).expect(200);
    const byGet = await logIn('tess', 'right').expect(200);
    const shape = ({ headers, text }: typeof byGet) =>
      JSON.stringify([text, { ...headers, 'x-request-id': '', date: '', 'x-expires-after': '' }])
        .replaceAll(/pu[sd]_[\w-]{43}/g, 'token')
        .replaceAll(/Expires=[^;]+/g, 'Expires');
    expect(shape(byPost)).toBe(shape(byGet));
    expect(await updateStatus(byPost.body as string)).toBe(404);
    const { text } = await post({ username: 'tess', password: 'right' }).set('Accept', 'text/plain').expect(200);
    expect(text).toMatch(/^pus_/);
  });

  it('refuses wrong credentials, and counts them together with those of GET', async () => {
    const { headers, body } = await post({ username: 'tess', password: 'wrong' }).expect(401);
    expect(headers['www-authenticate']).toBe('Bearer realm="pet-user-service"');
    expect(body.type).toBe('/problems/unauthorized');
    for (let n = 0; n < 4; n++) {
      await logIn('tess', 'wrong').expect(401);
    }
    await post({ username: 'tess', password: 'right' }).expect(429);
  });

  it.each([
    [{}, ['/username', '/password']],
    [{ username: 'tess' }, ['/password']],
    [{ username: '', password: '' }, ['/username', '/password']],
    [{ username: ['tess'], password: 1 }, ['/username', '/password']],
    [{ username: null, password: { $ne: '' } }, ['/username', '/password']],
    [{ username: 'a\u0000', password: 'x'.repeat(1_025) }, ['/username', '/password']],
    [[{ username: 'tess', password: 'right' }], ['']],
  ])('answers 400 to %j', async (body, pointers) => {
    const answer = await post(body).expect(400);
    expect((answer.body as { errors: { pointer: string }[] }).errors.map(({ pointer }) => pointer)).toEqual(pointers);
  });

  it('reads the body alone, and it as JSON', async () => {
    await running.http.post('/v2/user/login').query({ username: 'tess', password: 'right' }).expect(400);
    await post('{"username":"tess"').expect(400);
    const form = running.http.post('/v2/user/login').type('form');
    await form.send({ username: 'tess', password: 'right' }).expect(415);
  });

  it.each(['get', 'post'] as const)('ignores conditions, by %s', async (method) => {
    const request = running.http[method]('/v2/user/login').set({ 'If-None-Match': '*', 'If-Match': '"x"' });
    const credentials = { username: 'tess', password: 'right' };
    await (method === 'get' ? request.query(credentials) : request.send(credentials)).expect(200);
    await running.http.get('/v2/user/logout').set({ 'If-None-Match': '*', 'If-Match': '"x"' }).expect(200);
  });
});

describe('GET /v2/user/logout', () => {
  it('ends the session of the bearer token from the next request on, others go on', async () => {
    const token = await tokenFor(running);
    const { body: other } = await logIn('tess', 'right');
    const answer = await running.http.get('/v2/user/logout').set('Authorization', `Bearer ${token}`).expect(200);
    expect([answer.text, answer.headers['content-length']]).toEqual(['', '0']);
    expect(answer.headers['set-cookie']![0]).toMatch(/^session=; Max-Age=0; Path=\/v2\/user; Expires=/);
    expect(await updateStatus(token)).toBe(401);
    expect(await updateStatus(other as string)).toBe(404);
  });

  it('ends the session of the cookie', async () => {
    const token = await tokenFor(running);
    await running.http.get('/v2/user/logout').set('Cookie', `a=b; session=${token}`).expect(200);
    expect(await updateStatus(token)).toBe(401);
  });

  it.each([
    ['Cookie', (token: string) => `session=bogus; session=${token}`],
    ['Cookie', (token: string) => `session=${token}; session=bogus`],
    ['Cookie', (token: string) => `session="${token}"`],
    ['Cookie', (token: string) => `a=b, session = ${token} `],
    ['Authorization', (token: string) => `Bearer   ${token}`],
    ['Authorization', (token: string) => `Bearer ${token} x`],
    ['Authorization', (token: string) => `Bearer "${token}"`],
    ['Authorization', (token: string) => `Bearer x, Bearer ${token}`],
    ['Authorization', (token: string) => token],
  ])('ends the session that %s names: %s', async (header, value) => {
    const token = await tokenFor(running);
    await running.http.get('/v2/user/logout').set(header, value(token)).expect(200);
    expect(await updateStatus(token)).toBe(401);
  });

  it('ends every session that the request names, also in a second header', async () => {
    const tokens = [await tokenFor(running)];
    for (let n = 0; n < 4; n++) {
      tokens.push((await logIn('tess', 'right')).body as string);
    }
    const [first, second, third, fourth, spared] = tokens as [string, string, string, string, string];
    const lines = [
      `Cookie: session=${first}; session=${second}`,
      `Cookie: other=${spared}`,
      `Authorization: Bearer ${third}`,
      `Authorization: Bearer ${fourth}`,
    ];
    const request = `GET /v2/user/logout HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${lines.join('\r\n')}\r\n\r\n`;
    expect(await exchange(running.url, request)).toMatch(/^HTTP\/1.1 200 /);
    expect(await Promise.all(tokens.map(updateStatus))).toEqual([401, 401, 401, 401, 404]);
  });

  it.each([{}, { Authorization: 'Bearer' }, { Authorization: 'x y z' }, { Cookie: 'session=nonsense' }])(
    'answers 200 to %j',
    async (headers) => {
      await running.http.get('/v2/user/logout').set(headers).expect(200);
    },
  );
});
