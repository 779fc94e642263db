import { sha256 } from '../src/platform/common/sha256';
import { onPostgres } from './support/test-database';
import { startApp, type RunningApp } from './support/start-app';

/* How many answers are kept for repeats, and of whom. */

const SWEEP = 20;

jest.setTimeout(60_000);

let running: RunningApp;
beforeEach(async () => (running = await startApp({ TRUSTED_PROXIES: '1' })));
afterEach(() => running.stop());

const create = (key: string, address: string) =>
  running.http.post('/v1/pet').set({ 'Idempotency-Key': key, 'X-Forwarded-For': address }).send({ name: 'Rex' });
const createMany = async (address: string, from: number) => {
  for (let n = from; n < from + SWEEP; n++) {
    await create(`k-${n}`, address).expect(201);
  }
};

/** Rows of a network, as if it had sent so many keys just now. */
async function fill(address: string, count: number): Promise<void> {
  const numbers = onPostgres
    ? `generate_series(1, ${count}) AS n(x)`
    : `(WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < ${count}) SELECT x FROM n)`;
  await running.database.write((manager) =>
    manager.query(
      `INSERT INTO "idempotent_answer" ("key", "fingerprint", "value", "network", "created_at")
       SELECT '${address}-' || x, '', '1', '${sha256(address)}', ${Date.now()} FROM ${numbers}`,
    ),
  );
}

const rowsOf = async (address: string) => {
  const where = `"network" = '${sha256(address)}'`;
  const [row] = await running.query<{ n: number }>(`SELECT count(*) AS n FROM "idempotent_answer" WHERE ${where}`);
  return Number(row!.n);
};

it('lets one network have half of 100,000, and beyond that takes its own oldest', async () => {
  await fill('192.0.2.1', 50_000 - SWEEP);
  await createMany('192.0.2.1', 0);
  expect(await rowsOf('192.0.2.1')).toBe(50_000);
  await createMany('192.0.2.1', SWEEP);
  expect(await rowsOf('192.0.2.1')).toBe(50_000 - SWEEP);
  await create(`k-${2 * SWEEP - 1}`, '192.0.2.1').expect('idempotency-replayed', 'true');
});

it('keeps a key for its day, however many a stranger sends', async () => {
  const { text } = await create('promised', '198.51.100.1').expect(201);
  await fill('192.0.2.1', 100_000);
  await createMany('192.0.2.1', 0);
  await createMany('192.0.2.1', SWEEP);
  const again = await create('promised', '198.51.100.1').expect(201, text);
  expect(again.headers['idempotency-replayed']).toBe('true');
});
