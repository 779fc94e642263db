import { QueryFailedError } from 'typeorm';
import type { BoundStatement } from '../statement';
import type { SqliteConnection, SqliteStatement } from './driver';

/** Carries out statements of ours at once, each prepared once: TypeORM's way to the driver is made of promises. */
export class PreparedStatements {
  private readonly statements = new Map<string, SqliteStatement>();

  constructor(private readonly connection: SqliteConnection) {}

  /** Throws what TypeORM throws. */
  rows<Row>({ statement: { sqlite, sqliteFirst }, parameters }: BoundStatement<Row>): Row[] {
    if (sqliteFirst !== undefined) {
      this.changes(sqliteFirst, []);
    }
    return carriedOut(sqlite, () => this.prepared(sqlite).all(...parameters) as Row[]);
  }

  /** How many rows the statement has changed. Throws what TypeORM throws. */
  changes(sql: string, parameters: unknown[]): number {
    return carriedOut(sql, () => this.prepared(sql).run(...parameters).changes);
  }

  private prepared(sql: string): SqliteStatement {
    let statement = this.statements.get(sql);
    if (!statement) {
      statement = this.connection.prepare(sql);
      this.statements.set(sql, statement);
    }
    return statement;
  }
}

function carriedOut<T>(sql: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw new QueryFailedError(sql, undefined, error as Error);
  }
}
