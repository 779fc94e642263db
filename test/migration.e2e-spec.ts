import { DataSource } from 'typeorm';
import { createApp } from '../src/app';
import { loadConfig } from '../src/config';
import { maintenanceOptions } from '../src/database';
import { openDatabase } from '../src/database';
import { createTestDatabase, onPostgres, type TestDatabase } from './support/test-database';

let database: TestDatabase;
let dataSource: DataSource;
const config = () => loadConfig({ DATABASE_URL: database.url, LOG_LEVEL: 'silent' });

beforeEach(async () => {
  database = await createTestDatabase();
  dataSource = await new DataSource(maintenanceOptions(config().database)).initialize();
});
afterEach(async () => {
  await dataSource.destroy();
  await database.drop();
});

/** What is missing between the schema and the entities. */
const missing = async () => (await dataSource.driver.createSchemaBuilder().log()).upQueries.map(({ query }) => query);

it('make the schema of the entities, up, down and up again', async () => {
  const everything = await missing();
  for (const _ of ['first', 'second']) {
    await dataSource.runMigrations();
    expect(await missing()).toEqual([]);
    for (const _migration of dataSource.migrations) {
      await dataSource.undoLastMigration();
    }
    expect(await missing()).toEqual(everything);
  }
});

it('refuse a database of a newer version', async () => {
  await dataSource.runMigrations();
  await dataSource.query(`INSERT INTO migrations (timestamp, name) VALUES (9999999999999, 'Future9999999999999')`);
  await expect(createApp(config())).rejects.toThrow(/newer version of this program, which added Future9999999999999/);
});

it('run once when several processes start at once', async () => {
  const starts = await Promise.allSettled([1, 2, 3, 4].map(() => openDatabase(config())));
  const started = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  await Promise.all(started.map((unitOfWork) => unitOfWork.onApplicationShutdown()));
  // SQLite serves one process only: the others are refused before they look at the schema.
  expect(started).toHaveLength(onPostgres ? 4 : 1);
  expect(await dataSource.query('SELECT name FROM migrations')).toHaveLength(dataSource.migrations.length);
});
