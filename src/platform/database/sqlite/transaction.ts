import type { SqliteConnection, SqliteStatement } from './driver';

/**
 * Milliseconds for which what was deleted may stay in the log; and until the next try, where a reader was in the way.
 */
const LOG_KEPT_MS = 20_000;
const NEXT_TRY_MS = 1_000;

/** The transaction of the one writing connection, and the savepoint of the unit that is being run in it. */
export class SqliteTransaction {
  private readonly statements = new Map<string, SqliteStatement>();
  private emptying?: NodeJS.Timeout;

  constructor(private readonly connection: SqliteConnection) {
    // SQLite would wait on the event loop; who begins waits elsewhere.
    connection.pragma('busy_timeout = 0');
    this.emptyLogIn(LOG_KEPT_MS);
  }

  /** False, too, when SQLite has rolled back by itself, as it does on a full disk. */
  get isOpen(): boolean {
    return this.connection.inTransaction;
  }

  /** IMMEDIATE: whether another process holds the file shows here and nowhere later. */
  begin(): void {
    this.run('BEGIN IMMEDIATE');
  }

  commit(): void {
    this.run('COMMIT');
    this.emptyLogIn(LOG_KEPT_MS);
  }

  rollBack(): void {
    if (this.isOpen) {
      this.run('ROLLBACK');
    }
  }

  beginUnit(): void {
    this.run('SAVEPOINT "unit"');
  }

  commitUnit(): void {
    this.run('RELEASE "unit"');
  }

  /** Throws where there is nothing left to go back to. */
  rollBackUnit(): void {
    this.run('ROLLBACK TO "unit"');
    this.run('RELEASE "unit"');
  }

  private emptyLogIn(ms: number): void {
    this.emptying ??= setTimeout(() => {
      this.emptying = undefined;
      if (this.connection.open && !this.emptyLog()) {
        this.emptyLogIn(NEXT_TRY_MS);
      }
    }, ms).unref();
  }

  /** Writes the log back into the file and cuts it to nothing, unless that would be in anybody's way. */
  private emptyLog(): boolean {
    try {
      return !this.isOpen && this.connection.pragma('wal_checkpoint(TRUNCATE)', { simple: true }) === 0;
    } catch {
      // The disk is full, say; writes tell of it.
      return false;
    }
  }

  private run(sql: string): void {
    let statement = this.statements.get(sql);
    if (!statement) {
      statement = this.connection.prepare(sql);
      this.statements.set(sql, statement);
    }
    statement.run();
  }
}
