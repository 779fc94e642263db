import type { Client, QueryResult } from 'pg';
import { isSilent } from './postgres-errors';
import { Statements, type Statement } from './statements';
import type { Watchdog } from './watchdog';

/** A connection while one unit has it. */
export class BorrowedConnection {
  /** Whether it is closed afterwards, and lent to nobody else. */
  isSpent = false;

  constructor(
    private readonly client: Client,
    private readonly types: unknown,
    private readonly watchdog: Watchdog,
  ) {}

  /** One statement, in one round trip. */
  query = (sql: string, parameters?: unknown[]): Promise<QueryResult> =>
    this.watched(this.client.query<Record<string, unknown>>(sql, parameters));

  /** Several statements in one round trip; the first that fails ends them. */
  all(statements: Statement[]): Promise<QueryResult[]> {
    return this.watched(this.client.query(new Statements(statements, this.types)).results);
  }

  private async watched<T>(answer: Promise<T>): Promise<T> {
    const ignore = this.watchdog.watch(this.client);
    try {
      return await answer;
    } catch (error) {
      this.isSpent ||= isSilent(error);
      throw error;
    } finally {
      ignore();
    }
  }
}
