import { migrate } from '../migrate';
import { migrations } from '../schema';
import { Sqlite, type SqliteConnection } from './driver';
import { contentsOf } from './check-file';
import { connectionOf, sqliteDataSource } from './sqlite-data-source';

/**
 * Throws unless a database has the tables and columns that its own migrations make, and nothing that would act or
 * answer in their place, as triggers and views do: whoever hands in a backup decides what is stored, not what the
 * service does.
 */
export async function assertSchema(file: string, name: string): Promise<void> {
  const { seen } = contentsOf(file);
  const connection = new Sqlite(file, { readonly: true });
  try {
    const [acting] = connection
      .prepare(`SELECT "type", "name" FROM "sqlite_master" WHERE "type" IN ('trigger', 'view')`)
      .all();
    if (acting) {
      throw new Error(
        `${name} has the ${String(acting.type)} ${String(acting.name)}, which no database of this service has`,
      );
    }
    const found = new Set(columnsOf(connection));
    const missing = (await columnsMadeBy(seen)).find((column) => !found.has(column));
    if (missing !== undefined) {
      throw new Error(`${name} lacks the column ${missing}`);
    }
  } finally {
    connection.close();
  }
}

async function columnsMadeBy(seen: string[]): Promise<string[]> {
  const made = await sqliteDataSource({
    type: 'better-sqlite3',
    driver: Sqlite,
    database: ':memory:',
    migrations: migrations.filter(({ name }) => seen.includes(name)),
  }).initialize();
  try {
    await migrate(made);
    return columnsOf(connectionOf(made));
  } finally {
    await made.destroy();
  }
}

const columnsOf = (connection: SqliteConnection): string[] =>
  connection
    .prepare(
      `SELECT "made"."name" || '.' || "columns"."name" AS "column"
      FROM "sqlite_master" AS "made", pragma_table_info("made"."name") AS "columns" WHERE "made"."type" = 'table'`,
    )
    .all()
    .map(({ column }) => String(column));
