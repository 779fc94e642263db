import { QueryFailedError } from 'typeorm';
import type { BoundStatement } from '../statement';
import type { SqliteConnection, SqliteStatement } from './driver';

/** The columns of a row are those that it had when it was prepared. */
interface Prepared {
  statement: SqliteStatement;
  columns: string[];
}

/** Carries out statements of ours at once, each prepared once: TypeORM's way to the driver is made of promises. */
export class PreparedStatements {
  private readonly statements = new Map<string, Prepared>();

  constructor(private readonly connection: SqliteConnection) {}

  /** Throws what TypeORM throws. */
  rows<Row>({ statement: { sqlite, sqliteFirst }, parameters }: BoundStatement<Row>): Row[] {
    if (sqliteFirst !== undefined) {
      this.changes(sqliteFirst, []);
    }
    return carriedOut(sqlite, () => {
      const { statement, columns } = this.prepared(sqlite);
      const rows = statement.all(...parameters) as unknown as unknown[][];
      return rows.map((values) => toRow(columns, values) as Row);
    });
  }

  /** How many rows the statement has changed. Throws what TypeORM throws. */
  changes(sql: string, parameters: unknown[]): number {
    return carriedOut(sql, () => this.prepared(sql).statement.run(...parameters).changes);
  }

  private prepared(sql: string): Prepared {
    let prepared = this.statements.get(sql);
    if (!prepared) {
      const statement = this.connection.prepare(sql);
      const columns = statement.reader ? statement.raw(true).columns() : [];
      prepared = { statement, columns: columns.map(({ name }) => name) };
      this.statements.set(sql, prepared);
    }
    return prepared;
  }
}

/** The driver's own rows are dictionaries to V8, which take twice as long to make and to read. */
function toRow(columns: string[], values: unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (let n = 0; n < columns.length; n++) {
    row[columns[n]!] = values[n];
  }
  return row;
}

function carriedOut<T>(sql: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw new QueryFailedError(sql, undefined, error as Error);
  }
}
