import {
  temporaryFile as sqliteFile,
  temporaryPostgres,
  type TemporaryDatabase as TestDatabase,
} from '../../src/testing';

/** Server whose user may create databases; without it the suites run on SQLite. */
const server = process.env.TEST_DATABASE_URL;

export const onPostgres = server !== undefined;

/** An empty database of the test's own. */
export const createTestDatabase = (): Promise<TestDatabase> =>
  server ? temporaryPostgres(server) : Promise.resolve(sqliteFile());

/** The same database, which stays when a server on it stops. */
export const lasting = (database: TestDatabase): TestDatabase => ({ ...database, drop: () => Promise.resolve() });

export { sqliteFile, type TestDatabase };
