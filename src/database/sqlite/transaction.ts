import type { SqliteConnection, SqliteStatement } from './driver';

/** The transaction of the one writing connection, and the savepoint of the unit that is being run in it. */
export class Transaction {
  private readonly statements = new Map<string, SqliteStatement>();

  constructor(private readonly connection: SqliteConnection) {
    // SQLite would wait on the event loop; who begins waits elsewhere.
    connection.pragma('busy_timeout = 0');
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

  private run(sql: string): void {
    let statement = this.statements.get(sql);
    if (!statement) {
      statement = this.connection.prepare(sql);
      this.statements.set(sql, statement);
    }
    statement.run();
  }
}
