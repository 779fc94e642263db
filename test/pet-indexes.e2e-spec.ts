import { allPets } from '../src/pet';
import { startApp, type RunningApp } from './support/start-app';
import { onPostgres } from './support/test-database';

/*
 * Every list is found by its index, in order, however many pets there are and wherever those lie that are looked for.
 */

const PETS = 30_000;

let running: RunningApp;
beforeAll(async () => {
  running = await startApp();
  const numbers = `WITH RECURSIVE "n" ("n") AS (SELECT 1 UNION ALL SELECT "n" + 1 FROM "n" WHERE "n" < ${PETS})`;
  // Most are of one kind, and all of the others come first: who walks by id until he has met enough meets none.
  const kind = (few: string, many: string) => `CASE WHEN "n" < 3000 THEN '${few}' || "n" % 10 ELSE '${many}' END`;
  await running.database.write(async (manager) => {
    await manager.query(
      `${numbers} INSERT INTO "pet" ("id", "version", "name", "owner_id", "species", "breed", "status")
       SELECT "n", 1, 'Rex', ${kind('o', 'none')}, ${kind('s', 'dog')}, ${kind('b', 'Beagle')}, ${kind('pending', 'sold')} FROM "n"`,
    );
    await manager.query(
      `${numbers} INSERT INTO "pet_tag" ("pet_id", "name") SELECT "n", ${kind('t', 'calm')} FROM "n"`,
    );
    await manager.query('ANALYZE');
  });
});
afterAll(() => running.stop());

afterEach(() => jest.restoreAllMocks());

/** How the database finds which pets a page holds. */
async function planOf(list: () => Promise<unknown>): Promise<string> {
  const { database } = running;
  const asked: [string, unknown[]?][] = [];
  const read = database.read.bind(database);
  jest.spyOn(database, 'read').mockImplementation((work) =>
    read((manager) => {
      const query = jest.spyOn(manager.queryRunner!, 'query');
      return work(manager).finally(() => asked.push(...(query.mock.calls as typeof asked)));
    }),
  );
  const carryOut = jest.spyOn(database, 'carryOut');
  await list();
  asked.push(...carryOut.mock.calls.map(([, sql, parameters]) => [sql, parameters] as [string, unknown[]]));
  jest.restoreAllMocks();
  const [sql, parameters] = asked[0]!;
  const steps = await read((manager) =>
    manager.query<object[]>(`EXPLAIN ${onPostgres ? '' : 'QUERY PLAN'} ${sql}`, parameters),
  );
  return steps.flatMap((step) => Object.values(step).filter((text) => typeof text === 'string')).join('\n');
}

const KEY = onPostgres ? 'pet_pkey' : 'INTEGER PRIMARY KEY';
const get = (path: string) => running.http.get(path).expect(200);

it('exports by the primary key', async () => {
  const plan = await planOf(() => allPets(running.database).next());
  expect(plan).toContain(KEY);
  expect(plan).not.toMatch(/Sort|TEMP B-TREE|Seq Scan/);
});

it.each<[string, string[]]>([
  ['/v1/pet', [KEY]],
  ['/v1/pet?limit=1000', [KEY]],
  ['/v1/pet?owner_id=o1', ['pet_owner_id']],
  ['/v1/pet?species=s1', ['pet_species']],
  ['/v1/pet?species=dog', ['pet_species']],
  ['/v1/pet?species=dog&breed=b1', ['pet_breed']],
  ['/v2/pet/findByStatus?status=sold', ['pet_status', KEY]],
  ['/v2/pet/findByStatus?status=sold&status=pending', ['pet_status', KEY]],
  ['/v2/pet/findByTags?tags=t1', ['pet_tag_name', KEY]],
  ['/v2/pet/findByTags?tags=t1,calm,t2', ['pet_tag_name', KEY]],
])('finds %s by the index', async (path, indexes) => {
  const plan = await planOf(() => get(path));
  const used = new Set(
    plan.match(/(?<=USING (?:COVERING )?INDEX |USING |Index (?:Only )?Scan using )(INTEGER PRIMARY KEY|pet_\w+)/g),
  );
  expect({ plan, used: [...used].sort() }).toEqual({ plan, used: [...indexes].sort() });
  expect(plan).not.toMatch(/SCAN pet|Seq Scan|Bitmap|status<|name</);
  // Only what the index has found is sorted.
  if (indexes.length === 1) {
    expect(plan).not.toMatch(/TEMP B-TREE|Sort/);
  }
});
