import type { Work } from '../../src/platform/database';
import { hold } from './hold';
import type { RunningApp } from './start-app';
import { until } from './until';

/**
 * Holds SQLite's only writer, or a connection to PostgreSQL and what `lock` locks there, from when it fulfils until
 * what it answers is called, or the test fails.
 */
export async function holdWrites(
  { database }: RunningApp,
  lock: Work<unknown> = () => Promise.resolve(),
): Promise<() => Promise<void>> {
  const { released, release } = hold();
  let ended: Promise<void>;
  await new Promise<void>((held, reject) => {
    ended = database.write(async (manager) => {
      await lock(manager);
      held();
      await released;
    });
    ended.catch(reject);
  });
  return () => {
    release();
    return ended;
  };
}

/** Fulfils when the service has asked its database for so many more writes, whether or not they are done. */
export function writesAsked({ database }: RunningApp, count: number): Promise<void> {
  const units = jest.spyOn(database, 'write');
  const statements = jest.spyOn(database, 'carryOut');
  const rows = jest.spyOn(database, 'insertNumbered');
  const asked = () =>
    units.mock.calls.length +
    rows.mock.calls.length +
    statements.mock.calls.filter(([mode]) => mode === 'master').length;
  return until(() => asked() >= count);
}
