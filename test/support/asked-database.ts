import type { UnitOfWork } from '../../src/platform/database';

/*
 * Every way in which the service asks its database: a unit, a statement that is kept, a row under the next number, and
 * whatever else TypeORM does, by a runner.
 */

const WAYS = ['read', 'write', 'carryOut', 'insertNumbered'] as const;
type Way = (...asked: unknown[]) => Promise<unknown>;

/** How often it was asked until now, after this is called. */
export function countAsked(database: UnitOfWork): () => number {
  const spies = [...WAYS.map((way) => jest.spyOn(database, way)), jest.spyOn(database.dataSource, 'createQueryRunner')];
  return () => spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
}

/** From now on it fails, until mocks are restored. */
export const failWith = (database: UnitOfWork, failure: Error) => precede(database, () => Promise.reject(failure));

/** What is asked waits for that, until mocks are restored. */
export const holdUntil = (database: UnitOfWork, released: Promise<void>) => precede(database, () => released);

function precede(database: UnitOfWork, before: () => Promise<void>): void {
  for (const way of WAYS) {
    const ask = database[way].bind(database) as Way;
    jest.spyOn(database, way).mockImplementation(async (...asked: unknown[]) => {
      await before();
      return ask(...asked);
    });
  }
  const { dataSource } = database;
  const create = dataSource.createQueryRunner.bind(dataSource);
  jest.spyOn(dataSource, 'createQueryRunner').mockImplementation((mode) => {
    const runner = create(mode);
    const query = runner.query.bind(runner) as Way;
    const preceded: Way = async (...asked) => {
      await before();
      return query(...asked);
    };
    return Object.assign(runner, { query: preceded });
  });
}
