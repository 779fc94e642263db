import { setImmediate as nextTurn } from 'node:timers/promises';
import { QueryRunnerAlreadyReleasedError, type QueryRunner } from 'typeorm';
import type { StatementResult, EngineRunner } from '../engine';
import type { PreparedStatements } from './prepared-statements';

/** Milliseconds that a unit may keep the event loop; SQLite's statements never let go of it by themselves. */
const TURN_MS = 10;

/**
 * The one runner of TypeORM's SQLite driver, lent to one unit: nothing that the unit leaves running gets into what
 * follows, and a long one lets the event loop have turns between its statements.
 */
export class UnitRunner implements EngineRunner {
  private turnEnds = performance.now() + TURN_MS;
  private isOver = false;
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    readonly base: QueryRunner,
    private readonly statements: PreparedStatements,
  ) {}

  query(sql: string, parameters?: unknown[], structured?: boolean): Promise<unknown> {
    return this.inOrder(async () => {
      await this.letLoopRun();
      return this.base.query(sql, parameters, structured as true);
    });
  }

  carryOut(sql: string, parameters: unknown[]): Promise<StatementResult> {
    return this.inOrder(async () => {
      if (this.isDue()) {
        await this.letLoopRun();
      }
      return this.statements.carryOut(sql, parameters);
    });
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

  private isDue(): boolean {
    return this.isOver || performance.now() > this.turnEnds;
  }

  private async letLoopRun(): Promise<void> {
    if (performance.now() > this.turnEnds) {
      await nextTurn();
      this.turnEnds = performance.now() + TURN_MS;
    }
    if (this.isOver) {
      throw new QueryRunnerAlreadyReleasedError();
    }
  }
}
