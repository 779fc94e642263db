import { SessionService } from '../src/auth';
import { SettableClock } from '../src/testing';
import { startApp, type RunningApp } from './support/start-app';
import { createTestDatabase, lasting, onPostgres } from './support/test-database';

/*
 * Clocks are set, and have been wrong before. Every time that is stored is stored here with a clock that is ahead or
 * behind, and looked at when it is right again.
 */

const YEAR = { hours: 24 * 365 };
const back = ({ hours }: { hours: number }) => ({ hours: -hours });

const clock = new SettableClock();
let running: RunningApp;
beforeAll(async () => {
  running = await startApp({ TRUSTED_PROXIES: '1' }, undefined, clock);
});
beforeEach(async () => {
  clock.pass({ ms: Date.now() - clock.now() });
  await running.empty();
  await createTess(running);
});
afterAll(() => running.stop());

const createTess = ({ http }: RunningApp) =>
  http
    .post('/v2/user/createWithList')
    .send([{ username: 'tess', password: 'right' }])
    .expect(200);

async function logIn({ http } = running): Promise<string> {
  const { body } = await http.get('/v2/user/login').query({ username: 'tess', password: 'right' }).expect(200);
  return body as string;
}

/** Whether a token opens update pet, which then finds no pet. */
async function opens(token: string, { http } = running): Promise<boolean> {
  const body = { id: 1, name: 'x', photoUrls: [] };
  const { status } = await http.put('/v2/pet').set('Authorization', `Bearer ${token}`).send(body);
  expect([401, 404]).toContain(status);
  return status === 404;
}

/** For how many half hours of steady use a token opens. */
async function halfHours(token: string): Promise<number> {
  for (let n = 0; n < 100; n++) {
    if (!(await opens(token))) {
      return n;
    }
    clock.pass({ minutes: 30 });
  }
  return Infinity;
}

describe('a session', () => {
  it('that began while the clock was a year ahead lasts a day from when it is first seen', async () => {
    clock.pass(YEAR);
    const token = await logIn();
    clock.pass(back(YEAR));
    expect(await halfHours(token)).toBe(48);
  });

  it('that was used while the clock was ahead ends when unused, like any other', async () => {
    const token = await logIn();
    clock.pass({ minutes: 59 });
    expect(await opens(token)).toBe(true);
    clock.pass({ minutes: -59 });
    expect(await opens(token)).toBe(true);
    clock.pass({ minutes: 60 });
    expect(await opens(token)).toBe(false);
  });

  it('that began while the clock was ahead and is never used is cut to a day by the log-ins of others', async () => {
    clock.pass(YEAR);
    await logIn();
    clock.pass(back(YEAR));
    for (let n = 0; n < 10; n++) {
      await logIn();
    }
    await running.app.get(SessionService, { strict: false }).swept;
    const [latest] = await running.query<{ expires: number; used: number }>(
      'SELECT max(expires_at) AS expires, max(last_used_at) AS used FROM session',
    );
    expect(latest).toEqual({ expires: clock.now() + 24 * 3_600_000, used: clock.now() });
  });

  it('is older than those that began after it, whatever the clock said', async () => {
    clock.pass(YEAR);
    const ahead = await logIn();
    clock.pass(back(YEAR));
    const right: string[] = [];
    for (let n = 0; n < 20; n++) {
      right.push(await logIn());
    }
    expect(await opens(ahead)).toBe(false);
    expect(await opens(right[0]!)).toBe(true);
  });

  it('that began while the clock was behind ends when the clock is put right, and the next one is a whole one', async () => {
    clock.pass(back(YEAR));
    const token = await logIn();
    clock.pass(YEAR);
    expect(await opens(token)).toBe(false);
    expect(await halfHours(await logIn())).toBe(48);
  });
});

describe('failed log-ins', () => {
  const fail = (address: string, username = 'tess') =>
    running.http.get('/v2/user/login').query({ username, password: 'wrong' }).set('X-Forwarded-For', address);
  const stored = () => running.query<{ count: number }>('SELECT count, free_at FROM login_failures');

  it('counted while the clock was a year ahead make nobody wait when it is right', async () => {
    clock.pass(YEAR);
    await logIn();
    for (let n = 0; n < 5; n++) {
      await fail('192.0.2.1').expect(401);
    }
    await fail('192.0.2.1').expect(429);
    clock.pass(back(YEAR));
    await logIn();
    await fail('192.0.2.1').expect(401);
  });

  it.each([-365 * 24, -24, -1, -0.1, 0.1, 1, 24, 365 * 24])(
    'make nobody wait longer than a quarter of an hour when the clock is set by %d hours',
    async (hours) => {
      for (const address of ['192.0.2.1', '2001:db8::1']) {
        // Until the wait is as long as it gets, and so is what a clock that is set could make of it.
        for (let n = 0; n < 20; n++) {
          await fail(address).expect(401);
          clock.pass({ seconds: Math.min(900, 2 ** Math.max(0, n - 4)) });
        }
        await fail(address).expect(401);
        expect((await fail(address).expect(429)).headers['retry-after']).toBe('900');
        clock.pass({ hours });
        const { status, headers } = await fail(address);
        expect([401, 429]).toContain(status);
        expect(Number(headers['retry-after'] ?? 0)).toBeLessThanOrEqual(900);
        clock.pass({ minutes: 15, seconds: 1 });
        await fail(address).expect(401);
      }
    },
  );

  it('counted while the clock was ahead are forgotten like any others', async () => {
    clock.pass(YEAR);
    await fail('192.0.2.1').expect(401);
    clock.pass(back(YEAR));
    for (const hours of [0, 1.1]) {
      clock.pass({ hours });
      for (let n = 0; n < 100; n++) {
        await fail(`198.51.100.${n}`, `guess${n}`).expect(401);
      }
    }
    expect(await stored()).toHaveLength(3 * 100);
  });
});

it('knows a device that was given its cookie while the clock was ahead or behind', async () => {
  for (const hours of [365 * 24, -24]) {
    clock.pass({ hours });
    const { headers } = await running.http.get('/v2/user/login').query({ username: 'tess', password: 'right' });
    clock.pass({ hours: -hours });
    const device = (headers['set-cookie'] as unknown as string[])[1]!;
    const answer = await running.http
      .get('/v2/user/login')
      .query({ username: 'tess', password: 'right' })
      .set('Cookie', device.split(';')[0]!)
      .expect(200);
    expect(answer.headers['ratelimit']).toMatch('"device"');
  }
});

(onPostgres ? it : it.skip)('lets a session live out its day in processes whose clocks differ by minutes', async () => {
  const database = await createTestDatabase();
  const ahead = new SettableClock();
  ahead.pass({ minutes: 10 });
  const [first, second] = [await startApp({}, lasting(database), clock), await startApp({}, lasting(database), ahead)];
  await createTess(first);
  const token = await logIn(second);
  for (let n = 0; n < 47; n++) {
    expect(await opens(token, first)).toBe(true);
    expect(await opens(token, second)).toBe(true);
    [clock, ahead].forEach((each) => each.pass({ minutes: 30 }));
  }
  ahead.pass({ minutes: 30 });
  expect(await opens(token, second)).toBe(false);
  await first.stop();
  await second.stop();
  await database.drop();
});
