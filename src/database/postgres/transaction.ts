import type { QueryResult } from 'pg';
import type { DataSource, QueryRunner } from 'typeorm';
import { OutcomeUnknown, Unavailable } from '../../common/problem';
import type { Work } from '../unit-of-work';
import type { Link } from './link';
import { cameTooLate, isSilent } from './postgres-errors';
import type { Statement } from './statements';

/** Set each time: the server's default may be another, under which units would fail that wait for one another here. */
const BEGIN = { sql: 'begin isolation level read committed' };

type Query = Link['query'];

/**
 * Runs work on a connection of ours. TypeORM is given only the way to send statements: it neither learns when the
 * connection ends, upon which it would fail units with errors of its own, nor does it send BEGIN and COMMIT.
 */
export async function runOn<T>(dataSource: DataSource, query: Query, work: Work<T>, isTransaction = true): Promise<T> {
  const runner: QueryRunner = Object.assign(dataSource.createQueryRunner(), {
    databaseConnection: { query },
    isTransactionActive: isTransaction,
    transactionDepth: isTransaction ? 1 : 0,
  });
  try {
    return await work(runner.manager);
  } finally {
    await runner.release();
  }
}

interface Asked extends Statement {
  answer: (result: QueryResult) => void;
  fail: (reason: unknown) => void;
}

/**
 * A transaction, which begins together with its first statements, in one round trip; so are those that are asked for at
 * once (by Promise.all).
 */
export class Transaction {
  private isOpen = false;
  private asked: Asked[] = [];

  constructor(
    private readonly link: Link,
    private readonly settings: Statement[],
  ) {}

  query: Query = (sql, parameters) =>
    new Promise((answer, fail) => {
      this.asked.push({ sql, parameters, answer, fail });
      if (this.asked.length === 1) {
        // Statements that are asked for in one go come here in one round of microtasks.
        queueMicrotask(() => void this.send(this.asked.splice(0)));
      }
    });

  /** The first statements. */
  private async begin(statements: Statement[]) {
    this.isOpen = true;
    const before = [BEGIN, ...this.settings];
    return (await this.link.all([...before, ...statements])).slice(before.length);
  }

  private async send(asked: Asked[]): Promise<void> {
    try {
      const results = this.isOpen ? await this.sendAll(asked) : await this.begin(asked);
      asked.forEach(({ answer }, n) => answer(results[n]!));
    } catch (error) {
      asked.forEach(({ fail }) => fail(error));
    }
  }

  private async sendAll(statements: Statement[]): Promise<QueryResult[]> {
    const [{ sql, parameters }] = statements as [Statement];
    return statements.length === 1 ? [await this.link.query(sql, parameters)] : this.link.all(statements);
  }

  /** Throws OutcomeUnknown when COMMIT was sent in time and nobody knows what became of it. */
  async commit(): Promise<void> {
    if (!this.isOpen) {
      return;
    }
    const { command } = await this.link.query('COMMIT').catch((error: unknown) => {
      throw isSilent(error) && !cameTooLate(error) ? new OutcomeUnknown(error) : error;
    });
    if (command !== 'COMMIT') {
      // So PostgreSQL answers after a failed statement, whose error the work has kept to itself.
      throw new Unavailable(new Error(`COMMIT was answered ${command}.`));
    }
  }

  /** A connection that cannot even do that is closed. */
  async rollBack(): Promise<void> {
    if (this.isOpen && !this.link.isSpent) {
      await this.link.query('ROLLBACK').catch(() => (this.link.isSpent = true));
    }
  }
}
