import { createHash } from 'node:crypto';
import { SessionService } from '../src/auth';
import { Unavailable } from '../src/platform/common/problem';
import { hashingRuns } from './support/hashing-runs';
import { SettableClock } from '../src/testing';
import { startApp, type RunningApp } from './support/start-app';
import { createTestDatabase, onPostgres } from './support/test-database';

const clock = new SettableClock();
let running: RunningApp;
beforeAll(async () => {
  // Behind a proxy, a test can come from any address.
  running = await startApp({ TRUSTED_PROXIES: '1' }, undefined, clock);
});
beforeEach(async () => {
  clock.pass({ ms: Date.now() - clock.now() });
  await running.empty();
  await running.http
    .post('/v2/user/createWithList')
    .send([{ username: 'tess', password: 'right' }, { username: 'tom', password: 'right' }, { username: 'nopass' }])
    .expect(200);
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => running.stop());

const logIn = (username: string, password: string, address = '192.0.2.1', { http } = running) =>
  http.get('/v2/user/login').query({ username, password }).set('X-Forwarded-For', address);

async function fail(times: number, username: string, address?: string): Promise<void> {
  for (let n = 0; n < times; n++) {
    await logIn(username, 'wrong', address).expect(401);
  }
}

const rows = () => running.query<{ count: number }>('SELECT count FROM login_failures ORDER BY count');

describe('an account', () => {
  it('has to wait after five failures from one network, and only there, and nobody else has', async () => {
    await fail(5, 'tess');
    const { headers, body } = await logIn('tess', 'right').expect(429);
    expect(headers['retry-after']).toBe('1');
    expect(body.type).toBe('/problems/too-many-logins');
    await logIn('tess', 'right', '192.0.2.9').expect(200);
    await logIn('tom', 'right').expect(200);
  });

  it('is not made to wait by failures of the service, of which nothing stays counted', async () => {
    await fail(2, 'tess');
    const before = await rows();
    const begin = jest.spyOn(running.app.get(SessionService, { strict: false }), 'begin');
    begin.mockRejectedValue(new Unavailable(new Error('on purpose')));
    for (let n = 0; n < 6; n++) {
      await logIn('tess', 'right').expect(503);
    }
    expect(await rows()).toEqual(before);
    await fail(3, 'tess');
    await logIn('tess', 'right').expect(429);
  });

  it('has to wait wherever it is after a hundred failures from many networks', async () => {
    for (let n = 0; n < 20; n++) {
      await fail(5, 'tess', `198.51.100.${n}`);
    }
    const { headers } = await logIn('tess', 'right').expect(429);
    expect([headers['ratelimit-policy'], headers['ratelimit']]).toEqual([
      '"account";q=100;w=3600',
      '"account";r=0;t=1',
    ]);
    clock.pass({ seconds: 1 });
    await logIn('tess', 'right').expect(200);
  });

  it('is not kept from its owner by whoever goes on guessing from one network, day and night', async () => {
    for (let n = 0; n < 96; n++) {
      await logIn('tess', `guess${n}`, '2001:db8:1::1');
      clock.pass({ minutes: 15 });
      await logIn('tess', `guess${n}`, '2001:db8:1:1::1');
      await logIn('tess', 'right').expect(200);
    }
  });

  it('has to wait in the whole /48 of a customer after twenty failures from its /64s', async () => {
    for (let n = 0; n < 4; n++) {
      await fail(5, 'tess', `2001:db8:1:${n}::1`);
    }
    await logIn('tess', 'right', '2001:db8:1:ffff::1').expect(429);
    await logIn('tess', 'right', '2001:db8:2::1').expect(200);
  });

  it('waits twice as long after each further failure, never longer than a quarter of an hour', async () => {
    await fail(5, 'tess');
    for (const seconds of [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]) {
      const { headers } = await logIn('tess', 'right').expect(429);
      expect(headers['retry-after']).toBe(String(seconds));
      clock.pass({ seconds, ms: -1 });
      await logIn('tess', 'right').expect(429);
      clock.pass({ ms: 1 });
      await fail(1, 'tess');
    }
    clock.pass({ minutes: 15 });
    await logIn('tess', 'right').expect(200);
  });

  it('is not made to wait any longer by attempts while it waits', async () => {
    await fail(5, 'tess');
    for (let n = 0; n < 20; n++) {
      await logIn('tess', 'wrong').expect(429);
    }
    clock.pass({ seconds: 1 });
    await logIn('tess', 'right').expect(200);
  });

  it('starts afresh after a success, and after an hour', async () => {
    await fail(4, 'tess');
    await logIn('tess', 'right').expect(200);
    await fail(4, 'tess');
    clock.pass({ hours: 1, ms: 1 });
    await fail(4, 'tess');
    await logIn('tess', 'right').expect(200);
  });

  it('has one failure forgotten every twelve minutes, whether others fail meanwhile or not', async () => {
    await fail(4, 'tess');
    for (let n = 0; n < 10; n++) {
      clock.pass({ minutes: 6 });
      const { headers } = await logIn('tess', 'wrong').expect(401);
      expect(headers['ratelimit']).toMatch('"account";r=0;');
      clock.pass({ minutes: 6, seconds: 1 });
    }
    clock.pass({ minutes: 20 });
    const { headers } = await logIn('tess', 'wrong').expect(401);
    expect(headers['ratelimit']).toMatch('"account";r=1;');
  });

  it('that does not exist has to wait alike, and does not begin to exist', async () => {
    await fail(5, 'nobody');
    const unknown = await logIn('nobody', 'wrong').expect(429);
    clock.pass({ hours: 2 });
    await fail(5, 'tess');
    const known = await logIn('tess', 'wrong').expect(429);
    const seen = ({ body, headers }: typeof known): unknown[] => [
      { ...(body as object), requestId: '' },
      headers['retry-after'],
      headers['ratelimit'],
      headers['ratelimit-policy'],
    ];
    expect(seen(unknown)).toEqual(seen(known));
  });
});

describe('an address', () => {
  it('has to wait after fifty failures, whatever the names, and other addresses have not', async () => {
    for (let n = 0; n < 50; n++) {
      await fail(1, `guess${n}`);
    }
    await logIn('tess', 'right').expect(429);
    await logIn('tess', 'right', '192.0.2.2').expect(200);
    clock.pass({ seconds: 1 });
    await logIn('tess', 'right').expect(200);
    await fail(1, 'more');
    await logIn('tess', 'right').expect(429);
  });

  it('leaves no row behind for a name that it tries while it waits', async () => {
    for (let n = 0; n < 50; n++) {
      await fail(1, `guess${n}`);
    }
    for (let n = 0; n < 10; n++) {
      await logIn(`more${n}`, 'x').expect(429);
    }
    // The account in the network, the account, for each name; and the network.
    expect(await rows()).toHaveLength(2 * 50 + 1);
  });

  it('of IPv6 is counted as its /64, and four times as much as its /48', async () => {
    for (let n = 0; n < 50; n++) {
      await fail(1, `guess${n}`, `2001:db8:1:1::${n + 1}`);
    }
    await logIn('more', 'x', '2001:db8:1:1::ffff').expect(429);
    for (let n = 50; n < 200; n++) {
      await fail(1, `guess${n}`, `2001:db8:1:${n}::1`);
    }
    const { headers } = await logIn('more', 'x', '2001:db8:1:ffff::1').expect(429);
    expect(headers['ratelimit-policy']).toBe('"address";q=200;w=3600');
    await logIn('tess', 'right', '2001:db8:2::1').expect(200);
  });

  it('is not counted for successes', async () => {
    for (let n = 0; n < 60; n++) {
      await logIn('tess', 'right').expect(200);
    }
    expect(await rows()).toEqual([]);
  });

  it('is that of the connection: X-Forwarded-For is believed only from as many proxies as the operator says', async () => {
    const direct = await startApp({ LOGIN_FAILURES_PER_ADDRESS: '2' });
    for (const [n, status] of [401, 401, 429].entries()) {
      await logIn(`guess${n}`, 'x', `192.0.2.${n}`, direct).expect(status);
    }
    await direct.stop();
    // The proxy appends the address that it sees; what stands before came from the client.
    await fail(5, 'a', '203.0.113.1, 192.0.2.7');
    const { headers } = await logIn('b', 'x', '203.0.113.2, 192.0.2.7');
    expect(headers['ratelimit']).toContain('"address";r=44;');
  });

  it.each([
    ['198.51.100.2:1001', '198.51.100.2'],
    ['[2001:db8::1]:1', '2001:db8::1'],
    ['[2001:db8::2]', '2001:db8::2'],
    ['::ffff:198.51.100.4', '198.51.100.4:80'],
    ['unknown', '127.0.0.1'],
    ['_hidden:9', 'for=x'],
  ])('may be written as %s, and is %s', async (written, plain) => {
    await fail(3, 'a', written);
    expect((await logIn('b', 'x', plain)).headers['ratelimit']).toContain('"address";r=46;');
  });
});

describe('a device', () => {
  /** The cookies that an answer sets, by their names, as a client sends them. */
  const cookiesOf = ({ headers }: { headers: Record<string, unknown> }) =>
    Object.fromEntries((headers['set-cookie'] as string[]).map((line) => [line.split('=')[0]!, line.split(';')[0]!]));
  const knownDevice = async (username = 'tess') => cookiesOf(await logIn(username, 'right').expect(200)).device!;
  const from = (device: string, password: string, username = 'tess', address?: string) =>
    logIn(username, password, address).set('Cookie', device);

  it('is given a cookie like that of the session, for a year, which is stored as its SHA-256 and opens nothing', async () => {
    const { headers } = await logIn('tess', 'right').expect(200);
    const [, line] = headers['set-cookie'] as unknown as string[];
    expect(line).toMatch(
      /^device=pud_[\w-]{43}; Max-Age=31536000; Path=\/v2\/user; Expires=.* GMT; HttpOnly; SameSite=Strict$/,
    );
    expect(Date.parse(/Expires=([^;]*)/.exec(line!)![1]!)).toBeCloseTo(clock.now() + 365 * 24 * 3_600_000, -4);
    const token = /pud_[\w-]+/.exec(line!)![0];
    const stored = await running.query('SELECT * FROM device');
    expect(stored).toEqual([expect.objectContaining({ token_hash: createHash('sha256').update(token).digest('hex') })]);
    expect(JSON.stringify(stored)).not.toMatch(/tess|pud_/);
    const put = running.http.put('/v2/pet').set('Authorization', `Bearer ${token}`);
    await put.send({ id: 1, name: 'x', photoUrls: [] }).expect(401);
  });

  it('lets its owner in whatever others do to the account and to the address', async () => {
    const device = await knownDevice();
    await fail(5, 'tess');
    for (let n = 0; n < 45; n++) {
      await fail(1, `guess${n}`);
    }
    for (let n = 0; n < 19; n++) {
      await fail(5, 'tess', `198.51.100.${n}`);
    }
    await logIn('tess', 'right').expect(429);
    await logIn('tess', 'right', '203.0.113.1').expect(429);
    const { headers } = await from(device, 'right').expect(200);
    expect([headers['ratelimit-policy'], headers['ratelimit']]).toEqual(['"device";q=5;w=3600', '"device";r=5;t=3600']);
    expect(cookiesOf({ headers }).device).toBe(device);
  });

  it('has a counter of its own, which holds up nobody else', async () => {
    const device = await knownDevice();
    for (const left of ['r=4;t=3600', 'r=3;t=3600', 'r=2;t=3600', 'r=1;t=3600', 'r=0;t=1']) {
      const { headers } = await from(device, 'wrong').expect(401);
      expect(headers['ratelimit']).toBe(`"device";${left}`);
    }
    const { headers } = await from(device, 'right').expect(429);
    expect([headers['retry-after'], headers['ratelimit']]).toEqual(['1', '"device";r=0;t=1']);
    await logIn('tess', 'right').expect(200);
    clock.pass({ seconds: 1 });
    await from(device, 'right').expect(200);
    expect(await rows()).toEqual([]);
  });

  it('is known for the account that logged in from it, and for no other', async () => {
    const toms = await knownDevice('tom');
    await fail(5, 'tess');
    for (const cookie of [toms, 'device=', `device=pud_${'A'.repeat(43)}`, `${toms}; ${toms}`]) {
      await from(cookie, 'right').expect(429);
    }
    const tesss = cookiesOf(await logIn('tess', 'right', '192.0.2.2').expect(200)).device!;
    const bogus = Array.from({ length: 200 }, (_, n) => `device=pud_${String(n).padStart(43, 'A')}; `).join('');
    await from(`${bogus}${toms}; ${tesss}`, 'right').expect(200);
  });

  it('stays known through log out, and for a year after it was last seen', async () => {
    const device = await knownDevice();
    const { headers } = await running.http.get('/v2/user/logout').set('Cookie', device).expect(200);
    expect(String(headers['set-cookie'])).not.toContain('device');
    for (const days of [364, 364]) {
      clock.pass({ hours: 24 * days });
      await fail(5, 'tess');
      await from(device, 'right').expect(200);
    }
    clock.pass({ hours: 24 * 365 });
    await fail(5, 'tess');
    await from(device, 'right').expect(429);
  });

  it('is not pushed out by programs that keep no cookies; ten of each kind are known', async () => {
    const device = await knownDevice();
    await from(device, 'right').expect(200);
    for (let n = 0; n < 25; n++) {
      await knownDevice();
    }
    await fail(5, 'tess');
    await from(device, 'right').expect(200);
    expect(await running.query('SELECT returned FROM device')).toHaveLength(11);
  });

  it('is a stranger again when all sessions of its user are ended', async () => {
    const device = await knownDevice();
    const [{ id }] = (await running.query('SELECT id FROM "user" WHERE username = \'tess\'')) as [{ id: number }];
    await running.database.write(() => running.app.get(SessionService, { strict: false }).endAll(id));
    await fail(5, 'tess');
    await from(device, 'right').expect(429);
  });
});

it('lets in no more guesses at once than are allowed', async () => {
  const runs = hashingRuns();
  const answers = await Promise.all(Array.from({ length: 60 }, () => logIn('tess', 'wrong')));
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(55);
  expect(runs()).toEqual(Array(5).fill('verify'));
});

it('lets in all of a network who log in rightly at once', async () => {
  const fresh = await startApp();
  const users = Array.from({ length: 16 }, (_, n) => ({ username: `right-${n}`, password: 'right' }));
  await fresh.http.post('/v2/user/createWithList').send(users).expect(200);
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all(users.map((user) => fresh.http.get('/v2/user/login').query(user)));
    expect(answers.map(({ status }) => status)).toEqual(users.map(() => 200));
  }
  await fresh.stop();
});

it('lets its owner in as often at once as he likes', async () => {
  const answers = await Promise.all(Array.from({ length: 60 }, () => logIn('tess', 'right')));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});

it('says in every answer to a log-in how many more may fail', async () => {
  const policy = '"account";q=5;w=3600, "address";q=50;w=3600';
  const answers = [
    await logIn('tess', 'wrong').expect(401),
    await logIn('nobody', 'wrong').expect(401),
    await logIn('tess', 'right').expect(200),
  ];
  expect(answers.map(({ headers }) => headers['ratelimit-policy'])).toEqual([policy, policy, policy]);
  expect(answers.map(({ headers }) => headers['ratelimit'])).toEqual([
    '"account";r=4;t=3600, "address";r=49;t=3600',
    '"account";r=4;t=3600, "address";r=48;t=3600',
    '"account";r=5;t=3600, "address";r=48;t=3600',
  ]);
  await fail(4, 'tess');
  expect((await logIn('tess', 'wrong').expect(401)).headers['ratelimit']).toMatch('"account";r=0;t=1, "address"');
  const { headers } = await logIn('tess', 'wrong').expect(429);
  expect([headers['ratelimit-policy'], headers['ratelimit']]).toEqual(['"account";q=5;w=3600', '"account";r=0;t=1']);
});

describe('what is counted', () => {
  let shared: RunningApp;
  // Every hundredth attempt in a process tidies up: these count from the first one on.
  beforeEach(async () => {
    shared = running;
    running = await startApp({ TRUSTED_PROXIES: '1' }, undefined, clock);
  });
  afterEach(async () => {
    await running.stop();
    running = shared;
  });

  it('forgets what is an hour old, and keeps no names in clear', async () => {
    for (let n = 0; n < 49; n++) {
      await fail(1, `canary${n}`);
    }
    expect(JSON.stringify(await running.query('SELECT * FROM login_failures'))).not.toContain('canary');
    clock.pass({ hours: 1, seconds: 1 });
    for (let n = 0; n < 51; n++) {
      await fail(1, `later${n}`, `192.0.2.${n}`);
    }
    expect(await rows()).toHaveLength(3 * 51);
  });

  it('keeps a hundred thousand rows at most, and of those the ones that have to wait longest', async () => {
    await running.database.write((manager) =>
      manager.query(`
      WITH RECURSIVE "numbers" ("n") AS (SELECT 1 UNION ALL SELECT "n" + 1 FROM "numbers" WHERE "n" < 100500)
        INSERT INTO "login_failures" SELECT 'old' || "n", 1, ${clock.now()} - "n" FROM "numbers"`),
    );
    for (let n = 0; n < 100; n++) {
      await fail(1, `guess${n}`, `192.0.2.${n}`);
    }
    const [left] = await running.query<{ all: number; oldest: number; guesses: number }>(`
      SELECT count(*) AS "all", min("free_at") AS "oldest", count(CASE WHEN "key" NOT LIKE 'old%' THEN 1 END) AS "guesses"
      FROM "login_failures"`);
    expect(left).toEqual({ all: 100_003, oldest: clock.now() - 99_703, guesses: 300 });
  });
});

(onPostgres ? it : it.skip)('counts for all processes together', async () => {
  const database = await createTestDatabase();
  const lasting = { ...database, drop: () => Promise.resolve() };
  const processes = [await startApp({}, lasting, clock), await startApp({}, lasting, clock)];
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) => logIn('tess', 'wrong', undefined, processes[n % 2])),
  );
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(35);
  await Promise.all(processes.map((one) => one.stop()));
  await database.drop();
});
