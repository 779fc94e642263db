import { QueryFailedError } from 'typeorm';
import type { BoundStatement } from '../statement';
import type { SqliteConnection, SqliteStatement } from './driver';

/** Carries out statements of ours at once, each prepared once: TypeORM's way to the driver is made of promises. */
export class PreparedStatements {
  private readonly statements = new Map<string, SqliteStatement>();

  constructor(private readonly connection: SqliteConnection) {}

  /** Throws what TypeORM throws. */
  rows<Row>({ statement: { sqlite, sqliteFirst }, parameters }: BoundStatement<Row>): Row[] {
    try {
      if (sqliteFirst !== undefined) {
        this.prepared(sqliteFirst).run();
      }
      return this.prepared(sqlite).all(...parameters) as Row[];
    } catch (error) {
      throw new QueryFailedError(sqlite, undefined, error as Error);
    }
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
