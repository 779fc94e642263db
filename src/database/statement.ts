import type { EntityManager } from 'typeorm';
import { isPostgres } from './dialect';

/** What SQLite and PostgreSQL write differently. */
export interface Spelling {
  /** The text of a JSON array that holds, for each row in `order`, an array of `columns`. */
  jsonRows: (columns: string, order: string) => string;
  /** The function that makes rows of a JSON array's elements; `"value" ->> n` is the nth member of one. */
  jsonElements: string;
  /**
   * The rows that have a value, after an id and in order of ids, by the index on both columns and by no other. The
   * parameters are the value, the id, and the value again.
   */
  ofValue: (column: string, id: string) => { where: string; order: string };
  /** A column that is not to be found by an index. */
  unindexed: (column: string) => string;
  /** At the end of a SELECT: nobody else changes these rows until the unit ends. SQLite has one writer at a time. */
  forUpdate: string;
  /** The next number of a table that `drawNumbers` numbers, for a statement that says so by `numbers`. */
  nextNumber: (table: string) => string;
}

const SQLITE: Spelling = {
  jsonRows: (columns, order) => `json_group_array(json_array(${columns}) ORDER BY ${order})`,
  jsonElements: 'json_each',
  ofValue: (column, id) => ({ where: `${column} = ? AND ${id} > ? AND ${column} <= ?`, order: `ORDER BY ${id}` }),
  // SQLite keeps no statistics, and might choose the worst index.
  unindexed: (column) => `+${column}`,
  forUpdate: '',
  nextNumber: (table) => `(SELECT "last" FROM "${table}_numbering")`,
};
const POSTGRES: Spelling = {
  jsonRows: (columns, order) => `CAST(json_agg(json_build_array(${columns}) ORDER BY ${order}) AS text)`,
  jsonElements: 'jsonb_array_elements',
  // Told `= ? … ORDER BY "id"`, PostgreSQL might walk through all rows by id until it has met enough of the value.
  ofValue: (column, id) => ({
    where: `(${column}, ${id}) > (?, ?) AND ${column} <= ?`,
    order: `ORDER BY ${column}, ${id}`,
  }),
  unindexed: (column) => column,
  forUpdate: 'FOR UPDATE',
  nextNumber: (table) => `nextval('"${table}_id_seq"')`,
};

/**
 * One SQL statement, with `?` for each parameter and nowhere else. Its text is made once for each dialect and never
 * changes, so the database can keep it prepared. A statement that changes rows says by RETURNING which.
 */
export class Statement<Row> {
  readonly sqlite: string;
  /** What SQLite has to do before: PostgreSQL's sequence draws a number by itself. */
  readonly sqliteFirst: string | undefined;
  private readonly postgres: string;

  /** `numbers`: the table whose next number it takes. */
  constructor(sql: string | ((spelling: Spelling) => string), { numbers }: { numbers?: string } = {}) {
    const spell = typeof sql === 'string' ? () => sql : sql;
    let count = 0;
    this.sqlite = spell(SQLITE);
    this.sqliteFirst = numbers && `UPDATE "${numbers}_numbering" SET "last" = "last" + 1`;
    this.postgres = spell(POSTGRES).replaceAll('?', () => `$${++count}`);
  }

  with(parameters: unknown[]): BoundStatement<Row> {
    return new BoundStatement(this, parameters);
  }

  async rows(manager: EntityManager, parameters: unknown[]): Promise<Row[]> {
    if (!isPostgres(manager)) {
      if (this.sqliteFirst !== undefined) {
        await manager.query(this.sqliteFirst);
      }
      return manager.query<Row[]>(this.sqlite, parameters);
    }
    const result = await manager.query<unknown[]>(this.postgres, parameters);
    // TypeORM answers an UPDATE or a DELETE with its rows and their number.
    return (typeof result[1] === 'number' ? result[0] : result) as Row[];
  }
}

/** A statement and its parameters: a whole unit of work, see UnitOfWork.readOne and writeOne. */
export class BoundStatement<Row> {
  constructor(
    readonly statement: Statement<Row>,
    readonly parameters: unknown[],
  ) {}

  rows(manager: EntityManager): Promise<Row[]> {
    return this.statement.rows(manager, this.parameters);
  }
}
