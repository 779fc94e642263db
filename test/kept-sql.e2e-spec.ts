import fc from 'fast-check';
import {
  Column,
  Entity,
  Equal,
  Generated,
  FindOperator,
  In,
  Index,
  IsNull,
  LessThan,
  LessThanOrEqual,
  MoreThan,
  MoreThanOrEqual,
  Not,
  PrimaryColumn,
  QueryFailedError,
  type EntityManager,
} from 'typeorm';
import { loadConfig } from '../src/platform/config';
import { int64Column, jsonColumn, keptSql, openDatabase, type UnitOfWork } from '../src/platform/database';
import { createTestDatabase, onPostgres, type TestDatabase } from './support/test-database';

/** Each call with kept SQL does what TypeORM does without, whatever its entity, conditions and values. */

const doubling = {
  to: (value: unknown) => (typeof value === 'string' ? `${value}${value}` : value),
  from: (value: unknown) => (typeof value === 'string' ? value.slice(value.length / 2) : value),
};

@Entity('thing')
class Thing {
  @PrimaryColumn(int64Column) id: number | bigint;
  @Index('thing_name', { unique: true })
  @Column({ type: 'text' })
  name: string;
  @Column({ name: 'kind_of', type: 'text', nullable: true }) kind: string | null;
  @Column({ ...int64Column, nullable: true }) size: number | bigint | null;
  @Column({ type: 'integer', nullable: true }) small: number | null;
  @Column({ type: 'real', nullable: true }) ratio: number | null;
  @Column({ type: 'boolean', nullable: true }) good: boolean | null;
  @Column({ type: 'text', nullable: true, transformer: jsonColumn }) data: object | string | number | null;
  @Column({ type: 'text', nullable: true, transformer: [doubling, doubling] }) twice: string | null;
  @Column({ type: 'text', nullable: true, select: false }) hidden: string | null;
  @Column({ type: 'text', nullable: true, update: false }) fixed: string | null;
}

@Entity('numbered')
class Numbered {
  @PrimaryColumn(int64Column)
  @Generated('increment')
  id: number | bigint;
  @Column({ type: 'text' }) name: string;
}

let file: TestDatabase;
let database: UnitOfWork;

beforeAll(async () => {
  file = await createTestDatabase();
  const { database: config } = loadConfig({ DATABASE_URL: file.url, SQLITE_SYNCHRONOUS: 'NORMAL' });
  database = await openDatabase({ database: config }, [Thing, Numbered]);
  await database.dataSource.synchronize();
});
afterAll(async () => {
  await database.onApplicationShutdown();
  await file.drop();
});
afterEach(() => void (keptSql.isOn = true));

const few = <T>(...values: T[]) => fc.constantFrom(...values);
const text = () =>
  fc.oneof(few('a', 'b', 'ä', '', "it's", ':kept0', '?', '$1'), fc.string({ maxLength: 4 })).filter(storable);
const storable = (value: string) => !value.includes('\0');
const int64 = () => few<number | bigint>(0, 1, 2, 3, -1, 2 ** 53 - 1, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n);
const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null, freq: 4 });
const real = () => few(0, 0.5, -1.25, 1e10);
const json = () => few<object | string | number>({ id: 2n ** 60n, name: 'x' }, [1, 'two'], 'text', 7, []);

const members = {
  id: int64(),
  name: text(),
  kind: orNull(text()),
  size: orNull(int64()),
  small: orNull(few(0, 1, 5, -7)),
  ratio: orNull(real()),
  good: orNull(fc.boolean()),
  data: orNull(json()),
  twice: orNull(text()),
  hidden: orNull(text()),
  fixed: orNull(text()),
};
const undefinedToo = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined, freq: 9 });
const thing = fc.record(members, { requiredKeys: ['id', 'name'] });
const oddThing = fc.record(
  Object.fromEntries(Object.entries(members).map(([name, values]) => [name, undefinedToo<unknown>(values)])),
  { requiredKeys: [] },
);

const OPERATORS: ((value: unknown) => FindOperator<unknown>)[] = [
  Equal,
  MoreThan,
  MoreThanOrEqual,
  LessThan,
  LessThanOrEqual,
  Not,
  (value) => Not(MoreThan(value)),
  (value) => MoreThan(MoreThan(value)),
];
/** Made anew for each call: TypeORM changes the operators that it is given. */
type Making = () => unknown;
const condition = (values: fc.Arbitrary<unknown>): fc.Arbitrary<Making> =>
  fc.oneof(
    { weight: 6, arbitrary: values.map((value) => () => value) },
    {
      weight: 4,
      arbitrary: fc.tuple(few(...OPERATORS), values).map(
        ([of, value]) =>
          () =>
            of(value),
      ),
    },
    { weight: 2, arbitrary: fc.array(values, { maxLength: 6 }).map((list) => () => In([...list])) },
    {
      weight: 1,
      arbitrary: few<Making>(
        () => undefined,
        () => null,
        () => IsNull(),
      ),
    },
  );
const conditions = fc.record(
  Object.fromEntries(Object.entries(members).map(([name, values]) => [name, condition(values)])),
  { requiredKeys: [] },
);
const made = (where: Partial<Record<string, Making>>) =>
  Object.fromEntries(Object.entries(where).map(([name, make]) => [name, make!()]));

const options = fc.record(
  {
    where: conditions,
    order: fc.record(
      { kind: few<string | number>('ASC', 'DESC', 1, -1, 'desc'), size: few('ASC', 'DESC') },
      { requiredKeys: [] },
    ),
    take: few(1, 2, 3, 0, -1),
    select: few({ id: true }, { id: true, hidden: true }, { name: true }, { id: true, kind: false }, { kind: true }),
    skip: few(undefined, 1),
  },
  { requiredKeys: [] },
);

type Call = (manager: EntityManager) => Promise<unknown>;
const call: fc.Arbitrary<Call> = fc.oneof(
  fc.array(thing, { maxLength: 4 }).map(
    (all): Call =>
      (manager) =>
        manager.insert(
          Thing,
          all.map((one) => ({ ...one })),
        ),
  ),
  thing.map(
    (entity): Call =>
      (manager) =>
        manager.insert(Thing, { ...entity }),
  ),
  oddThing.map(
    (entity): Call =>
      (manager) =>
        manager.insert(Thing, { ...entity }),
  ),
  fc.tuple(conditions, oddThing).map(
    ([where, set]): Call =>
      (m) =>
        m.update(Thing, made(where), set),
  ),
  fc.tuple(int64(), oddThing).map(
    ([id, set]): Call =>
      (m) =>
        m.update(Thing, { id }, set),
  ),
  conditions.map(
    (where): Call =>
      (manager) =>
        manager.delete(Thing, made(where)),
  ),
  conditions.map(
    (where): Call =>
      (manager) =>
        manager.findOneBy(Thing, made(where)),
  ),
  conditions.map(
    (where): Call =>
      (manager) =>
        manager.findBy(Thing, made(where)).then(inOrder),
  ),
  conditions.map(
    (where): Call =>
      (manager) =>
        manager.countBy(Thing, made(where)),
  ),
  conditions.map(
    (where): Call =>
      (manager) =>
        manager.existsBy(Thing, made(where)),
  ),
  options.map(({ where, ...given }): Call => async (manager) => {
    const order = { ...given.order, id: 'ASC' };
    return manager.find(Thing, { ...given, ...(where && { where: made(where) }), order } as object);
  }),
  options.map(({ where, ...given }): Call => async (manager) => {
    const order = { ...given.order, id: 'ASC' };
    return manager.findOne(Thing, { ...given, ...(where && { where: made(where) }), order } as object);
  }),
);

const inOrder = (things: Thing[]) => things.sort((a, b) => Number(BigInt(a.id) - BigInt(b.id)));

/** The outcome, and what is stored then. */
async function outcome(run: () => Promise<unknown>) {
  try {
    return { value: await run() };
  } catch (error) {
    const { message, constructor } = error as Error;
    const cause = error instanceof QueryFailedError ? (error.driverError as { code?: string }) : undefined;
    return { failed: constructor.name, message, code: cause?.code };
  }
}
const stored = () => database.dataSource.query<unknown[]>('SELECT * FROM "thing" ORDER BY "id"');

const seed: Partial<Thing>[] = [
  { id: 1, name: 'a', kind: 'a', size: 2n ** 53n + 1n, small: 1, ratio: 0.5, good: true, data: [1, 'two'], twice: 'b' },
  {
    id: 2,
    name: 'ä',
    kind: null,
    size: 3,
    small: null,
    ratio: null,
    good: false,
    data: null,
    twice: null,
    hidden: 'a',
  },
  { id: 2n ** 63n - 1n, name: "it's", kind: 'a', size: null, small: -7, good: null, twice: '', fixed: 'b' },
];
async function sown() {
  keptSql.isOn = false;
  await database.dataSource.manager.deleteAll(Thing);
  await database.dataSource.manager.insert(
    Thing,
    seed.map((row) => ({ ...row })),
  );
}

const places: Record<string, (run: Call) => Promise<unknown>> = {
  'outside a unit': (run) => run(database.dataSource.manager),
  'in a unit': (run) => database.write(run),
  'in a transaction, beside its manager': (run) =>
    database.dataSource.transaction(() => run(database.dataSource.manager)),
  'in a unit that reads': (run) => database.read(run),
  'on a QueryRunner': async (run) => {
    const runner = database.dataSource.createQueryRunner();
    await runner.startTransaction();
    try {
      const value = await run(runner.manager);
      await runner.commitTransaction();
      return value;
    } finally {
      await runner.release();
    }
  },
};

it.each(Object.keys(places))('does what TypeORM does %s', async (place) => {
  const carriedOut = jest.spyOn(database, 'carryOut');
  carriedOut.mockClear();
  const property = fc.asyncProperty(call, async (run) => {
    const all = [];
    for (const isOn of [false, true]) {
      await sown();
      keptSql.isOn = isOn;
      const told = await outcome(() => places[place]!(run));
      keptSql.isOn = false;
      all.push({ told, stored: await stored() });
    }
    expect(all[1]).toEqual(all[0]);
  });
  await fc.assert(property, { numRuns: 25 });
  expect(carriedOut.mock.calls.length > 0).toBe(place === 'outside a unit');
});

it('has TypeORM write the SQL of a shape once', async () => {
  await sown();
  keptSql.isOn = true;
  const { manager } = database.dataSource;
  const written = jest.spyOn(database.dataSource, 'createQueryBuilder');
  for (const id of [1, 2, 2n ** 63n - 1n]) {
    expect((await manager.findOneBy(Thing, { id }))?.id).toBe(id);
  }
  expect(written.mock.calls.length).toBeLessThanOrEqual(1);
  written.mockRestore();
});

it.each<[string, Partial<Numbered>[]]>([
  ['one', [{ name: 'a' }]],
  ['one with an id', [{ name: 'a', id: 77 }]],
  ['several', [{ name: 'a' }, { name: 'b' }]],
])('tells a generated id as TypeORM does: %s', async (_, given) => {
  const { manager } = database.dataSource;
  const all = [];
  for (const isOn of [false, true]) {
    keptSql.isOn = false;
    await (onPostgres ? manager.query('TRUNCATE "numbered" RESTART IDENTITY') : manager.deleteAll(Numbered));
    await (onPostgres || manager.query('DELETE FROM "sqlite_sequence"'));
    keptSql.isOn = isOn;
    const entities = given.map((one) => ({ ...one }));
    const { identifiers, generatedMaps } = await manager.insert(Numbered, entities);
    all.push({ identifiers, generatedMaps, entities, stored: await manager.find(Numbered) });
  }
  expect(all[1]).toEqual(all[0]);
  expect(all[1]!.identifiers).toEqual(all[1]!.stored.map(({ id }) => ({ id })));
});

it('tells lists apart of which a later entity has other members', async () => {
  await sown();
  keptSql.isOn = true;
  const { manager } = database.dataSource;
  for (const kinds of [
    [undefined, undefined],
    [undefined, 'k'],
    ['k', undefined],
    ['k', 'k'],
  ]) {
    const things = kinds.map((kind, n) => ({ id: 11 + n, name: `n${n}`, ...(kind && { kind }) }));
    await manager.insert(Thing, things);
    const found = await manager.find(Thing, { where: { id: In([11, 12]) }, order: { id: 'ASC' } });
    expect(found.map(({ kind }) => kind)).toEqual(kinds.map((kind) => kind ?? null));
    await manager.delete(Thing, { id: In([11, 12]) });
  }
});

it('names the same index of a value that is taken', async () => {
  await sown();
  for (const isOn of [false, true]) {
    keptSql.isOn = isOn;
    const { failed, code } = (await outcome(() =>
      database.dataSource.manager.insert(Thing, { id: 77, name: 'a' }),
    )) as { failed: string; code: string };
    expect([failed, code]).toEqual(['QueryFailedError', onPostgres ? '23505' : 'SQLITE_CONSTRAINT_UNIQUE']);
  }
});
