import { SessionService } from '../src/auth';
import { createTestDatabase, lasting, onPostgres, type TestDatabase } from './support/test-database';
import { startApp, tokenFor, type RunningApp } from './support/start-app';
import { Wire } from './support/wire';

/** Beside BEGIN and COMMIT, which no write does without. */
const MOST = { statements: 1, roundTrips: 1 };

(onPostgres ? describe : describe.skip)('what an operation costs on PostgreSQL', () => {
  let database: TestDatabase;
  let wire: Wire;
  let running: RunningApp;
  let token: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    wire = await Wire.to(database.url);
    running = await startApp({ POSTGRES_POOL_SIZE: '1' }, lasting({ ...database, url: wire.url }));
    token = await tokenFor(running);
    await running.app.get(SessionService, { strict: false }).swept;
    await create();
  });
  afterAll(async () => {
    await running.stop();
    await wire.cut();
    await database.drop();
  });

  const create = () => running.http.post('/v1/pet').send({ name: 'Rex' }).expect(201).then();
  const update = () =>
    running.http
      .put('/v2/pet')
      .set('Authorization', `Bearer ${token}`)
      .send({ id: 1, name: 'Rex', photoUrls: ['https://a.example/1'], status: 'sold' })
      .expect(200)
      .then();
  const logIn = () =>
    running.http.get('/v2/user/login').query({ username: 'tess', password: 'right' }).expect(200).then();

  /** Statements, and times that their answer was waited for, of what `work` sends. */
  async function cost(work: () => Promise<unknown>) {
    const before = wire.sent.length;
    await work();
    const kinds = messages(Buffer.from(wire.sent.slice(before), 'latin1'));
    const count = (...wanted: string[]) => kinds.filter((kind) => wanted.includes(kind)).length;
    return { statements: count('Q', 'E'), roundTrips: count('Q', 'S') };
  }

  it('is one round trip beside COMMIT to create a pet, and one statement beside BEGIN and COMMIT', async () => {
    const { statements, roundTrips } = await cost(create);
    expect({ statements: statements - 2, roundTrips: roundTrips - 1 }).toEqual(MOST);
  });

  it('is the same to update one, and one statement to know the caller', async () => {
    const { statements, roundTrips } = await cost(update);
    expect({ statements: statements - 3, roundTrips: roundTrips - 2 }).toEqual(MOST);
  });

  it('is a fraction of that for each of many that come at the same time', async () => {
    const { statements, roundTrips } = await cost(() => Promise.all(Array.from({ length: 50 }, create)));
    expect(statements).toBeLessThan(50 * 2);
    expect(roundTrips).toBeLessThan(50);
  });

  it('is five round trips to log in: the user, the attempt, the session, and COMMIT for each of these two', async () => {
    expect((await cost(logIn)).roundTrips).toBe(5);
  });
});

/** The kinds of the messages that a client sent (protocol manual, 55.7): one byte, then the length. */
function messages(sent: Buffer): string[] {
  const kinds: string[] = [];
  for (let at = 0; at < sent.length; at += 1 + sent.readInt32BE(at + 1)) {
    kinds.push(String.fromCharCode(sent[at]!));
  }
  return kinds;
}
