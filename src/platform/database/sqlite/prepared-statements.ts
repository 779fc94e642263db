import { QueryFailedError } from 'typeorm';
import type { StatementResult } from '../engine';
import type { SqliteConnection, SqliteStatement } from './driver';

const MOST_PREPARED = 500;

/** Carries out statements synchronously, each prepared once: TypeORM's way to the driver awaits several promises. */
export class PreparedStatements {
  private readonly statements = new Map<string, SqliteStatement>();

  constructor(private readonly connection: SqliteConnection) {}

  /** Throws what TypeORM throws. */
  carryOut(sql: string, parameters: unknown[]): StatementResult {
    return carriedOut(sql, () => {
      const statement = this.prepared(sql);
      const bound = parameters.map(asTypeOrmWrites);
      if (statement.reader) {
        return { records: statement.all<unknown[]>(...bound), raw: undefined };
      }
      const { changes, lastInsertRowid } = statement.run(...bound);
      return { records: [], affected: changes, raw: lastInsertRowid };
    });
  }

  private prepared(sql: string): SqliteStatement {
    let statement = this.statements.get(sql);
    if (!statement) {
      if (this.statements.size >= MOST_PREPARED) {
        this.statements.clear();
      }
      statement = this.connection.prepare(sql);
      // The driver's own rows are dictionaries to V8, which take twice as long to make and to read.
      statement = statement.reader ? statement.raw(true) : statement;
      this.statements.set(sql, statement);
    }
    return statement;
  }
}

/**
 * TypeORM writes numbers into the text, where 1 is an integer: bound, it would be 1.0. Booleans it binds as 1.0 and
 * 0.0.
 */
const asTypeOrmWrites = (value: unknown) =>
  Number.isSafeInteger(value) ? BigInt(value as number) : typeof value === 'boolean' ? Number(value) : value;

function carriedOut<T>(sql: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw new QueryFailedError(sql, undefined, error as Error);
  }
}
