import type { EntityManager } from 'typeorm';
import { writeJson } from '../common/json';
import { Columns } from './columns';
import { isPostgres } from './dialect';
import { runEach } from './sqlite/unit-runner';
import { Statement } from './statement';

/**
 * Stores any number of entities within a unit of work: PostgreSQL takes them as one statement, whose text is the same
 * for any number; to SQLite, which has no round trips, a statement for each costs least.
 */
export class Insertion<T extends object> {
  private readonly columns: Columns<T>;
  private readonly each: string;
  private readonly all: Statement<{ key: string }>;

  /** `key` names the primary key. */
  constructor(
    entity: new () => T,
    private readonly key: keyof T & string,
  ) {
    this.columns = new Columns(entity);
    const { table, names, types } = this.columns;
    const into = `INSERT INTO ${table} (${names.join(', ')})`;
    this.each = `${into} VALUES (${names.map(() => '?').join(', ')}) ON CONFLICT DO NOTHING`;
    const values = types.map((type, n) => `CAST("value" ->> ${n} AS ${type})`);
    this.all = new Statement(
      ({ jsonElements }) =>
        `${into} SELECT ${values.join(', ')} FROM ${jsonElements}(?)
         ON CONFLICT DO NOTHING RETURNING CAST("${key}" AS text) AS "key"`,
    );
  }

  /** Stores those that meet no other row in a unique index, and answers the others. */
  async storeFree(manager: EntityManager, entities: T[]): Promise<T[]> {
    const rows = entities.map((entity) => this.columns.values(entity));
    if (!isPostgres(manager)) {
      const changes = await runEach(manager, this.each, rows);
      return entities.filter((_, index) => changes[index] === 0);
    }
    const stored = new Set((await this.all.rows(manager, [writeJson(rows)])).map(({ key }) => key));
    return entities.filter((entity) => !stored.has(String(entity[this.key])));
  }
}
