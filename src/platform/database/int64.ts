import type { ValueTransformer } from 'typeorm';
import type { Int64 } from '../common/json';
import type { SqliteConnection, SqliteStatement } from './sqlite/driver';

// Bound as a bigint: TypeORM writes plain numbers into the text of a SQLite statement, so that each value would be
// a statement of its own, prepared again and again.
const asBigint: ValueTransformer = {
  to: (value: unknown) => (typeof value === 'number' ? BigInt(value) : value),
  from: (value: unknown) => value,
};

/**
 * A column of 64-bit integers (Int64): every value comes back as it was stored, a number while it is exact as one,
 * else a bigint. Raw queries answer the same. SQLite spells the type otherwise: see sqlite-data-source.ts.
 */
export const int64Column = { type: 'int8', transformer: asBigint } as const;

/** The same for a primary key that stands alone: on SQLite it is the number by which the row itself is stored. */
export const int64Key = { ...int64Column, type: 'bigint' } as const;

/** PostgreSQL sends int8 as text. */
export const parseInt64 = (text: string): Int64 => narrow(text.length < 16 ? Number(text) : BigInt(text));

/** SQLite's driver rounds integers unless told otherwise, statement by statement. */
export function readExactly(connection: SqliteConnection): void {
  const prepare = connection.prepare.bind(connection);
  // private: Database.prepare, Statement.all, Statement.iterate, Statement.run
  connection.prepare = (sql) => {
    const statement = prepare(sql);
    if (statement.reader) {
      const all: SqliteStatement['all'] = statement.safeIntegers(true).all.bind(statement);
      const iterate = statement.iterate.bind(statement);
      statement.all = <Row>(...parameters: unknown[]) => all<Row>(...parameters).map(narrowRow);
      statement.iterate = function* (...parameters) {
        for (const row of iterate(...parameters)) {
          yield narrowRow(row);
        }
      };
    } else {
      // TypeORM does sums with the row id, so it has to be a number; and it overwrites with it the id that an entity
      // came with, so it must not be a rounded one.
      const run = statement.run.bind(statement);
      statement.run = (...parameters) => {
        const { changes, lastInsertRowid } = run(...parameters);
        return { changes, lastInsertRowid: Number.isSafeInteger(lastInsertRowid) ? lastInsertRowid : undefined };
      };
    }
    return statement;
  };
}

/** A row, or an array of its values. */
function narrowRow<Row>(row: Row): Row {
  const values = row as Record<string | number, unknown>;
  const columns = Array.isArray(row) ? row.keys() : Object.keys(values);
  for (const column of columns) {
    const value = values[column];
    if (typeof value === 'bigint') {
      values[column] = narrow(value);
    }
  }
  return row;
}

function narrow(integer: Int64): Int64 {
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : integer;
}
