import { countAsked } from './support/asked-database';
import { hashingRuns } from './support/hashing-runs';
import { startApp, type RunningApp } from './support/start-app';

let running: RunningApp;
beforeEach(async () => {
  running = await startApp({ TRUSTED_PROXIES: '1' });
  await running.http
    .post('/v2/user/createWithList')
    .send([{ username: 'tess', password: 'right' }, { username: 'nopass' }])
    .expect(200);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await running.stop();
});

const logIn = (username: string, address: string, password = 'wrong') =>
  running.http.get('/v2/user/login').query({ username, password }).set('X-Forwarded-For', address);

/** A wrong password, an unknown user, a user without a password; each from an address of its own. */
const refusals = () => Promise.all(['tess', 'nobody', 'nopass'].map((name, n) => logIn(name, `192.0.2.${n}`)));

it('answers a wrong password, an unknown user and a user without a password alike, to the header', async () => {
  const [wrong, unknown, without] = (await refusals()).map(({ status, body, headers }) => {
    const { 'x-request-id': _, date: __, ...others } = headers;
    return { status, body: { ...body, requestId: '' }, others };
  });
  expect(wrong).toMatchObject({ status: 401, others: { 'www-authenticate': 'Bearer realm="pet-user-service"' } });
  expect(unknown).toEqual(wrong);
  expect(without).toEqual(wrong);
});

it('hashes as often for each of them, also the first time', async () => {
  const runs = hashingRuns();
  for (const name of ['nobody', 'nopass', 'tess', 'nobody']) {
    await logIn(name, '192.0.2.1').expect(401);
    expect(runs().splice(0)).toEqual(['verify']);
  }
});

it('asks the database as often for each of them', async () => {
  const times: number[] = [];
  for (const name of ['nobody', 'nopass', 'tess', 'nobody']) {
    const asked = countAsked(running.database);
    await logIn(name, `192.0.2.${times.length}`).expect(401);
    times.push(asked());
    jest.restoreAllMocks();
  }
  expect(times[0]).toBeGreaterThan(1);
  expect(times).toEqual(times.map(() => times[0]));
});

it('hashes nothing for an account that has to wait', async () => {
  for (let n = 0; n < 5; n++) {
    await logIn('tess', '192.0.2.1').expect(401);
  }
  const runs = hashingRuns();
  await logIn('tess', '192.0.2.1', 'right').expect(429);
  expect(runs()).toEqual([]);
});
