import type { RunningApp } from './start-app';
import { until } from './until';

/** Keeps every write of an app on SQLite waiting until the answer is called. */
export async function holdWrites({ database }: RunningApp): Promise<() => void> {
  let release = () => {};
  await new Promise<void>((held) => {
    void database.write(() => {
      held();
      return new Promise<void>((resolve) => (release = resolve));
    });
  });
  return release;
}

/** Fulfils when the service has asked its database for so many more writes, whether or not they are done. */
export function writesAsked({ database }: RunningApp, count: number): Promise<void> {
  const spies = [jest.spyOn(database, 'write'), jest.spyOn(database, 'writeOne')];
  return until(() => spies.reduce((sum, { mock }) => sum + mock.calls.length, 0) >= count);
}
