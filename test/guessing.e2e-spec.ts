import { hashingRuns } from './support/hashing-runs';
import { SettableClock } from '../src/testing';
import { startApp, type RunningApp } from './support/start-app';
import { createTestDatabase, onPostgres } from './support/test-database';

let clock: SettableClock;
let running: RunningApp;
beforeEach(async () => {
  clock = new SettableClock();
  // Behind a proxy, a test can come from any address.
  running = await startApp({ TRUSTED_PROXIES: '1' }, undefined, clock);
  await running.http
    .post('/v2/user/createWithList')
    .send([{ username: 'tess', password: 'right' }, { username: 'tom', password: 'right' }, { username: 'nopass' }])
    .expect(200);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await running.stop();
});

const logIn = (username: string, password: string, address = '192.0.2.1', { http } = running) =>
  http.get('/v2/user/login').query({ username, password }).set('X-Forwarded-For', address);

async function fail(times: number, username: string, address?: string): Promise<void> {
  for (let n = 0; n < times; n++) {
    await logIn(username, 'wrong', address).expect(401);
  }
}

const rows = () => running.query<{ count: number }>('SELECT count FROM login_failures ORDER BY count');

describe('an account', () => {
  it('has to wait after five failures, from wherever they came, and nobody else has', async () => {
    for (let n = 1; n <= 5; n++) {
      await fail(1, 'tess', `192.0.2.${n}`);
    }
    const { headers, body } = await logIn('tess', 'right', '192.0.2.9').expect(429);
    expect(headers['retry-after']).toBe('1');
    expect(body.type).toBe('/problems/too-many-logins');
    await logIn('tom', 'right', '192.0.2.1').expect(200);
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
    expect(await rows()).toHaveLength(51);
  });

  it('is not counted for successes', async () => {
    for (let n = 0; n < 60; n++) {
      await logIn('tess', 'right').expect(200);
    }
    expect(await rows()).toEqual([{ count: 0 }]);
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
});

it('lets in no more guesses at once than are allowed', async () => {
  const runs = hashingRuns();
  const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => logIn('tess', 'wrong', `192.0.2.${n}`)));
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(55);
  expect(runs()).toEqual(Array(5).fill('verify'));
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

it('forgets what is an hour old, and keeps no names in clear', async () => {
  for (let n = 0; n < 49; n++) {
    await fail(1, `canary${n}`);
  }
  expect(JSON.stringify(await running.query('SELECT * FROM login_failures'))).not.toContain('canary');
  clock.pass({ hours: 1, seconds: 1 });
  for (let n = 0; n < 51; n++) {
    await fail(1, `later${n}`, `192.0.2.${n}`);
  }
  expect(await rows()).toHaveLength(2 * 51);
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
  expect(left).toEqual({ all: 100_002, oldest: clock.now() - 99_802, guesses: 200 });
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
