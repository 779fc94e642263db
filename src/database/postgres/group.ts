import type { QueryResult } from 'pg';
import type { DataSource } from 'typeorm';
import type { Work } from '../unit-of-work';
import type { Statement } from './statements';
import { runOn, type Transaction } from './transaction';

/** One of several units in a transaction spoilt it: nothing is stored, and each may be run by itself. */
export class Spoilt extends Error {}

/** A unit of one statement, which waits until all members of its group are ready to send theirs. */
export class Member {
  statement?: Statement;
  answer: (result: QueryResult) => void;
  fail: (error: unknown) => void;
  outcome: Promise<unknown>;
  /** When it is known what the unit wants to send; it may end and want nothing. */
  readonly ready: Promise<unknown>;

  constructor(dataSource: DataSource, work: Work<unknown>) {
    const asked = new Promise<void>((resolve) => {
      const query = (sql: string, parameters?: unknown[]) => {
        this.statement = { sql, parameters };
        resolve();
        return new Promise<QueryResult>((answer, fail) => Object.assign(this, { answer, fail }));
      };
      this.outcome = runOn(dataSource, query, work);
    });
    this.ready = Promise.race([asked, this.outcome.catch(() => undefined)]);
  }
}

/** The values of all members. Throws what went wrong first; then the transaction is to be rolled back. */
export async function runMembers(transaction: Transaction, members: Member[]): Promise<unknown[]> {
  await Promise.all(members.map(({ ready }) => ready));
  const asking = members.filter(({ statement }) => statement);
  try {
    const results = await transaction.begin(asking.map(({ statement }) => statement!));
    asking.forEach(({ answer }, n) => answer(results[n]!));
  } catch (error) {
    asking.forEach(({ fail }) => fail(error));
    await Promise.allSettled(members.map(({ outcome }) => outcome));
    if (members.length > 1) {
      throw error;
    }
  }
  return Promise.all(members.map(({ outcome }) => outcome));
}
