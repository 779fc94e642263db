import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { QueryRunnerAlreadyReleasedError } from 'typeorm';
import type { PreparedStatements } from './prepared-statements';

/** Milliseconds that a unit may keep the event loop; SQLite's statements never let go of it by themselves. */
const TURN_MS = 10;

/** What the runner of a unit can do beyond TypeORM's. */
interface UnitQueryRunner extends QueryRunner {
  runEach(sql: string, rows: unknown[][]): Promise<number[]>;
}

/** Within a unit: carries out the statement with each of these parameters. Answers how many rows each time changed. */
export const runEach = ({ queryRunner }: EntityManager, sql: string, rows: unknown[][]): Promise<number[]> =>
  (queryRunner as UnitQueryRunner).runEach(sql, rows);

/**
 * The one runner of TypeORM's SQLite driver, lent to one unit: nothing that the unit leaves running gets into what
 * follows, and a long one lets the event loop have turns between its statements.
 */
export class UnitRunner {
  readonly manager: EntityManager;
  private turnEnds = performance.now() + TURN_MS;
  private isOver = false;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    dataSource: DataSource,
    private readonly runner: QueryRunner,
    private readonly statements: PreparedStatements,
  ) {
    const query = (sql: string, parameters?: unknown[], structured?: boolean) =>
      this.inOrder(() => this.query(sql, parameters, structured));
    const runEach = (sql: string, rows: unknown[][]) => this.inOrder(() => this.runEach(sql, rows));
    // The group has begun the transaction: one that the unit begins by itself is a savepoint.
    const state = { query, runEach, isTransactionActive: true, transactionDepth: 1 };
    this.manager = dataSource.createEntityManager(Object.assign(Object.create(runner) as QueryRunner, state));
  }

  end(): void {
    this.isOver = true;
  }

  /** TypeORM takes longer over a statement that it has to prepare: of those asked for at once, others would pass it. */
  private inOrder<T>(ask: () => Promise<T>): Promise<T> {
    const answer = this.last.then(ask);
    this.last = answer.catch(() => undefined);
    return answer;
  }

  private async query(sql: string, parameters?: unknown[], structured?: boolean): Promise<unknown> {
    await this.turn();
    return this.runner.query(sql, parameters, structured as true);
  }

  private async runEach(sql: string, rows: unknown[][]): Promise<number[]> {
    const changes: number[] = [];
    for (const parameters of rows) {
      if (this.isDue()) {
        await this.turn();
      }
      changes.push(this.statements.changes(sql, parameters));
    }
    return changes;
  }

  private isDue(): boolean {
    return this.isOver || performance.now() > this.turnEnds;
  }

  private async turn(): Promise<void> {
    if (performance.now() > this.turnEnds) {
      await nextTurn();
      this.turnEnds = performance.now() + TURN_MS;
    }
    if (this.isOver) {
      throw new QueryRunnerAlreadyReleasedError();
    }
  }
}
