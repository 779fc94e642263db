import type { QueryRunner } from 'typeorm';
import { OutcomeUnknown } from '../common/problem';

/** Runs the work of a unit, of which subscribers hear as of a transaction that TypeORM's own runners begin. */
export async function announced<T>({ broadcaster }: QueryRunner, work: () => Promise<T>): Promise<T> {
  await broadcaster.broadcast('BeforeTransactionStart');
  await broadcaster.broadcast('AfterTransactionStart');
  try {
    const value = await work();
    await broadcaster.broadcast('BeforeTransactionCommit');
    return value;
  } catch (error) {
    await broadcaster.broadcast('BeforeTransactionRollback');
    throw error;
  }
}

/** Tells subscribers how the unit ended, once it has. What they do then belongs to no unit: `free` is their runner. */
export async function announceEnd<T>(unit: Promise<T>, free: () => QueryRunner): Promise<T> {
  const tell = async (event: 'AfterTransactionCommit' | 'AfterTransactionRollback') => {
    const runner = free();
    await runner.broadcaster.broadcast(event).finally(() => runner.release());
  };
  const value = await unit.catch(async (error: unknown) => {
    if (!(error instanceof OutcomeUnknown)) {
      await tell('AfterTransactionRollback');
    }
    throw error;
  });
  await tell('AfterTransactionCommit');
  return value;
}
