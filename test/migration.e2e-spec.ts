import { statSync } from 'node:fs';
import { getMetadataArgsStorage, type DataSource } from 'typeorm';
import { createApp } from '../src/app';
import { loadConfig } from '../src/platform/config';
import { nextIds, maintenanceDataSource, openDatabase } from '../src/platform/database';
import { entities } from '../src/entities';
import { classesIn } from './support/classes-in';
import { createTestDatabase, onPostgres, type TestDatabase } from './support/test-database';

let database: TestDatabase;
let dataSource: DataSource;
const config = () => loadConfig({ DATABASE_URL: database.url, LOG_LEVEL: 'silent' });

beforeEach(async () => {
  database = await createTestDatabase();
  dataSource = await maintenanceDataSource(config().database, entities).initialize();
});
afterEach(async () => {
  await dataSource.destroy();
  await database.drop();
});

/** What is missing between the schema and the entities. */
const missing = async () => (await dataSource.driver.createSchemaBuilder().log()).upQueries.map(({ query }) => query);

/** For each entity that needs more than the migrations make, a sentence and what is missing. */
async function lacking(): Promise<string[]> {
  const statements = await missing();
  const about = (table: string) => statements.filter((sql) => sql.includes(`"${table}"`));
  const files = new Map(entityClasses().map(({ file, class: entity }) => [entity as unknown, file]));
  return dataSource.entityMetadatas
    .filter(({ tableName }) => about(tableName).length > 0)
    .map(
      ({ target, tableName }) =>
        `${files.get(target)} says what no migration makes: write one, or let npm run migration:generate -- NAME write it.` +
        ` Missing: ${about(tableName).join('; ')}`,
    );
}

it('make the schema of the entities, up, down and up again', async () => {
  const everything = await missing();
  for (const _ of ['first', 'second']) {
    await dataSource.runMigrations();
    expect(await lacking()).toEqual([]);
    expect(await missing()).toEqual([]);
    for (const _migration of dataSource.migrations) {
      await dataSource.undoLastMigration();
    }
    expect(await missing()).toEqual(everything);
  }
});

(onPostgres ? it : it.skip)('have indexes order texts by their bytes, whatever the system thinks of them', async () => {
  await dataSource.runMigrations();
  const others = await dataSource.query<object[]>(
    `SELECT "t"."relname" AS "table", "a"."attname" AS "column" FROM "pg_index" AS "i"
     JOIN "pg_class" AS "t" ON "t"."oid" = "i"."indrelid" AND "t"."relnamespace" = 'public'::regnamespace
     JOIN "pg_attribute" AS "a" ON "a"."attrelid" = "i"."indrelid" AND "a"."attnum" = ANY("i"."indkey")
     JOIN "pg_collation" AS "c" ON "c"."oid" = "a"."attcollation" WHERE "c"."collname" <> 'C'`,
  );
  expect(others).toEqual([]);
});

it.each([
  ['small', 12, 1_000_001],
  ['large', 7_000_000, 7_000_001],
])('number users on from 1,000,001 where the numbers were %s, and find back', async (_, last, next) => {
  const upTo = async (name: string) => {
    while ((await dataSource.query(`SELECT name FROM migrations WHERE name = '${name}'`)).length > 0) {
      await dataSource.undoLastMigration();
    }
  };
  await dataSource.runMigrations();
  await upTo('UserNumbering1764410000000');
  await dataSource.query(`UPDATE user_numbering SET last = ${last}`);
  await dataSource.query(`INSERT INTO "user" (id, username) VALUES (${last}, 'known'), (${next + 1}, 'brought')`);
  await dataSource.runMigrations();
  const numbers = await dataSource.transaction((manager) => nextIds(manager, 'user', 2, new Set()));
  expect(numbers).toEqual([next, next + 2]);
  await upTo('UserNumbering1764410000000');
  const [numbering] = await dataSource.query<[{ last: number }]>('SELECT last FROM user_numbering');
  expect(Number(numbering.last)).toBe(next + 2);
  expect(await dataSource.query('SELECT username FROM "user" ORDER BY id')).toMatchObject([
    { username: 'known' },
    { username: 'brought' },
  ]);
});

(onPostgres ? it.skip : it)('make the file for its user alone', () => {
  expect(statSync(database.url.replace('sqlite:', '')).mode & 0o777).toBe(0o600);
});

it('refuse a database of a newer version', async () => {
  await dataSource.runMigrations();
  await dataSource.query(`INSERT INTO migrations (timestamp, name) VALUES (9999999999999, 'Future9999999999999')`);
  await expect(createApp(config())).rejects.toThrow(/newer version of this program, which added Future9999999999999/);
});

it('run once when several processes start at once', async () => {
  const starts = await Promise.allSettled([1, 2, 3, 4].map(() => openDatabase(config(), entities)));
  const started = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  await Promise.all(started.map((unitOfWork) => unitOfWork.onApplicationShutdown()));
  // SQLite serves one process only: the others are refused before they look at the schema.
  expect(started).toHaveLength(onPostgres ? 4 : 1);
  expect(await dataSource.query('SELECT name FROM migrations')).toHaveLength(dataSource.migrations.length);
});

const entityClasses = () => {
  const tables = new Set<unknown>(getMetadataArgsStorage().tables.map(({ target }) => target));
  return classesIn('src', /@Entity\(/).filter((known) => tables.has(known.class));
};

it('leave out no entity: src/entities.ts lists the classes of every file that declares one', () => {
  const listed = new Set<unknown>(entities);
  const forgotten = entityClasses().filter((known) => !listed.has(known.class));
  const sentences = forgotten.map(
    ({ file, class: { name } }) =>
      `src/entities.ts does not list ${name} of ${file}: add it to the entities in index.ts beside it, and those to src/entities.ts`,
  );
  expect(sentences).toEqual([]);
  expect(entityClasses()).toHaveLength(entities.length);
});

it('are all listed in src/platform/database/schema.ts, oldest first', () => {
  const listed = dataSource.migrations.map(({ constructor }) => constructor);
  const declared = classesIn('src/platform/database/migrations', /implements MigrationInterface/);
  const forgotten = declared.filter((known) => !listed.includes(known.class as never));
  const sentences = forgotten.map(
    ({ file, class: { name } }) =>
      `src/platform/database/schema.ts does not list ${name} of ${file}: add it, oldest first`,
  );
  expect(sentences).toEqual([]);
  expect(declared.map((known) => known.class)).toEqual(listed);
});

/** Undoes migrations, the latest first, down to and including this one. */
async function undo(name: string): Promise<void> {
  const names = dataSource.migrations.map((migration) => migration.name);
  for (let left = names.length - names.indexOf(name); left > 0; left--) {
    await dataSource.undoLastMigration();
  }
}

it('keep sessions, their users and their order, up and down', async () => {
  const sessions = async (...columns: string[]) =>
    dataSource.query<object[]>(`SELECT token_hash AS hash, ${columns.join(', ')} FROM session ORDER BY expires_at`);
  await dataSource.runMigrations();
  await undo('SessionsByUser1764400000000');
  await dataSource.query(`INSERT INTO session (token_hash, subject, created_at, last_used_at, expires_at) VALUES
    ('second', '9223372036854775807', 1800000000002, 1800000000020, 1800000000200),
    ('first', '7', 1800000000001, 1800000000010, 1800000000100)`);
  await dataSource.runMigrations();
  expect(await sessions('nth', 'user_id', 'last_used_at AS used')).toEqual([
    { hash: 'first', nth: 1, user_id: 7, used: 1800000000010 },
    { hash: 'second', nth: 2, user_id: 9223372036854775807n, used: 1800000000020 },
  ]);
  await undo('SessionsByUser1764400000000');
  expect(await sessions('subject', 'created_at AS begun', 'last_used_at AS used')).toEqual([
    { hash: 'first', subject: '7', begun: 1, used: 1800000000010 },
    { hash: 'second', subject: '9223372036854775807', begun: 2, used: 1800000000020 },
  ]);
});
