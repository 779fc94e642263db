import { setTimeout as sleep } from 'node:timers/promises';
import { Passwords } from '../src/auth';
import { hashingRuns } from './support/hashing-runs';
import { hold } from './support/hold';
import { startApp, type RunningApp } from './support/start-app';
import { until } from './support/until';

/*
 * One client does its worst at log in; what does another one wait for beside it? Counted in the hashes of the first that
 * begin meanwhile: hashing is what a log-in costs, and a count does not hang on how busy the machine is. A fault makes
 * others wait for all that are under way, or be refused.
 */

const MANY = 80;
const TRIES = 3;
/** The first client goes on while the other's request is read and stored; it must not go on until all its own are done. */
const MOST_BEFORE = MANY / 2;

let running: RunningApp;
beforeAll(async () => {
  running = await startApp({ TRUSTED_PROXIES: '1', ARGON2_MEMORY_KIB: '1024', LOGIN_FAILURES_PER_ADDRESS: '1000000' });
  const users = Array.from({ length: MANY }, (_, n) => ({ username: `many${n}`, password: 'right' }));
  await running.http.post('/v2/user/createWithList').send(users).expect(200);
  await running.http
    .post('/v2/user/createWithList')
    .send([{ username: 'tess', password: 'right' }])
    .expect(200);
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => running.stop());

async function logIn(username: string, password: string, address: string): Promise<number> {
  const url = `${running.url}/v2/user/login?username=${username}&password=${password}`;
  const answer = await fetch(url, { headers: { 'X-Forwarded-For': address } });
  await answer.arrayBuffer();
  return answer.status;
}

let made = 0;

/** 80 requests at a time, again and again; one that is refused takes a breath. Answers how to stop. */
function worst(request: (n: number) => Promise<number>): () => Promise<unknown> {
  let stopped = false;
  const clients = Array.from({ length: MANY }, async (_, n) => {
    while (!stopped) {
      if ((await request(n)) >= 400) {
        await sleep(100);
      }
    }
  });
  return () => {
    stopped = true;
    return Promise.all(clients);
  };
}

const WORST: Record<string, (n: number) => Promise<number>> = {
  'logs in to one account, with its password': () => logIn('many0', 'right', '192.0.2.1'),
  'logs in to many accounts, with their passwords': (n) => logIn(`many${n}`, 'right', '192.0.2.1'),
  'guesses names': () => logIn(`guess${(made += 1)}`, 'wrong', '192.0.2.1'),
  "guesses at the other's account": () => logIn('tess', 'wrong', '192.0.2.1'),
  'comes from all /64s of its /48': () => logIn(`guess${(made += 1)}`, 'wrong', `2001:db8:1:${made % 9_999}::1`),
};

it.each(Object.entries(WORST))('lets others log in at their turn while one client %s', async (_, request) => {
  const stop = worst(request);
  try {
    await sleep(100);
    const runs = hashingRuns();
    for (let n = 0; n < TRIES; n++) {
      runs().splice(0);
      expect(await logIn('tess', 'right', '198.51.100.1')).toBe(200);
      expect(runs().length).toBeLessThanOrEqual(MOST_BEFORE + 1);
    }
  } finally {
    await stop();
  }
});

it('lets an owner in at a known device while 128 networks have a log-in each at his account', async () => {
  const url = `${running.url}/v2/user/login?username=tess&password=`;
  const first = await fetch(`${url}right`);
  const [, device = ''] = first.headers.getSetCookie().map((line) => line.split(';', 1)[0]);
  const passwords = running.app.get(Passwords, { strict: false });
  const verify = passwords.verify.bind(passwords);
  const { released, release } = hold();
  jest
    .spyOn(passwords, 'verify')
    .mockImplementation((hash, password, client) =>
      (password === 'wrong' ? released : Promise.resolve()).then(() => verify(hash, password, client)),
    );
  const others = Array.from({ length: 128 }, (_, n) => logIn('tess', 'wrong', `198.51.${n}.1`));
  try {
    await until(() => passwords.underWay.logIns === 128);
    // Anywhere else he waits like everybody.
    expect(await logIn('tess', 'right', '203.0.113.1')).toBe(503);
    const headers = { Cookie: device, 'X-Forwarded-For': '203.0.113.1' };
    expect((await fetch(`${url}right`, { headers })).status).toBe(200);
  } finally {
    release();
    await Promise.all(others);
  }
});
