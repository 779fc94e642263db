import type { QueryResult } from 'pg';
import { QueryFailedError, QueryRunnerAlreadyReleasedError, type DataSource } from 'typeorm';
import { OutcomeUnknown, Unavailable } from '../../common/problem';
import type { StatementResult, RunnerWork } from '../engine';
import { placeInRoundTrip } from '../round-trip';
import type { BorrowedConnection } from './borrowed-connection';
import { cameTooLate, isSilent } from './postgres-errors';
import type { Statement } from './statements';

/** Set each time: under another default of the server, units would fail that here wait for one another. */
const BEGIN = { sql: 'begin isolation level read committed' };

export type SendQuery = BorrowedConnection['query'];

/**
 * Runs work on a connection of ours. TypeORM is given only the way to send statements: it neither learns when the
 * connection ends, upon which it would fail units with errors of its own, nor does it send BEGIN and COMMIT.
 */
export async function runOn<T>(
  dataSource: DataSource,
  query: SendQuery,
  work: RunnerWork<T>,
  isTransaction = true,
): Promise<T> {
  const base = Object.assign(dataSource.driver.createQueryRunner('master'), {
    databaseConnection: { query }, // private: PostgresQueryRunner.databaseConnection
    isTransactionActive: isTransaction, // private: QueryRunner.isTransactionActive
    transactionDepth: isTransaction ? 1 : 0, // private: QueryRunner.transactionDepth
  });
  try {
    return await work({
      base,
      query: base.query.bind(base),
      carryOut: (sql, parameters) => carriedOut(query, sql, parameters),
    });
  } finally {
    await base.release();
  }
}

/** Throws what TypeORM throws. */
export async function carriedOut(query: SendQuery, sql: string, parameters: unknown[]): Promise<StatementResult> {
  try {
    const { rows, rowCount } = await query(sql, parameters);
    return { records: rows.map(Object.values), affected: rowCount ?? undefined, raw: rows };
  } catch (error) {
    throw new QueryFailedError(sql, undefined, error as Error);
  }
}

interface PendingStatement extends Statement {
  place: string;
  answer: (result: QueryResult) => void;
  fail: (reason: unknown) => void;
}

/**
 * A transaction, which begins together with its first statements, in one round trip; so are those that are asked for at
 * once, in the order that UnitOfWork.inOneRoundTrip has given them.
 */
export class PostgresTransaction {
  private isOpen = false;
  private isOver = false;
  private asked: PendingStatement[] = [];

  constructor(
    private readonly connection: BorrowedConnection,
    private readonly settings: Statement[],
  ) {}

  query: SendQuery = (sql, parameters) =>
    new Promise((answer, fail) => {
      this.asked.push({ sql, parameters, answer, fail, place: placeInRoundTrip() });
      if (this.asked.length === 1) {
        // Statements that are asked for in one go have come when no microtask is left, and some have passed others.
        queueMicrotask(() => process.nextTick(() => void this.send(this.asked.splice(0).sort(byPlace))));
      }
    });

  /** Sends BEGIN together with the first statements. */
  private async begin(statements: Statement[]) {
    this.isOpen = true;
    const before = [BEGIN, ...this.settings];
    return (await this.connection.all([...before, ...statements])).slice(before.length);
  }

  private async send(asked: PendingStatement[]): Promise<void> {
    try {
      if (this.isOver) {
        throw new QueryRunnerAlreadyReleasedError(); // what a unit has left running must not get into the next one
      }
      const results = this.isOpen ? await this.sendAll(asked) : await this.begin(asked);
      asked.forEach(({ answer }, n) => answer(results[n]!));
    } catch (error) {
      asked.forEach(({ fail }) => fail(error));
    }
  }

  private async sendAll(statements: Statement[]): Promise<QueryResult[]> {
    const [{ sql, parameters }] = statements as [Statement];
    return statements.length === 1 ? [await this.connection.query(sql, parameters)] : this.connection.all(statements);
  }

  /** Throws OutcomeUnknown when COMMIT was sent in time and nobody knows what became of it. */
  async commit(): Promise<void> {
    this.isOver = true;
    if (!this.isOpen) {
      return;
    }
    const { command } = await this.connection.query('COMMIT').catch((error: unknown) => {
      throw isSilent(error) && !cameTooLate(error) ? new OutcomeUnknown(error) : error;
    });
    if (command !== 'COMMIT') {
      // So PostgreSQL answers after a failed statement, whose error the work has kept to itself.
      throw new Unavailable(new Error(`COMMIT was answered ${command}.`));
    }
  }

  /** A connection that cannot even do that is closed. */
  async rollBack(): Promise<void> {
    this.isOver = true;
    if (this.isOpen && !this.connection.isSpent) {
      await this.connection.query('ROLLBACK').catch(() => (this.connection.isSpent = true));
    }
  }
}

const byPlace = (a: PendingStatement, b: PendingStatement) => (a.place < b.place ? -1 : Number(a.place > b.place));
