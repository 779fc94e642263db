import type { UnitOfWork } from '../../src/platform/database';

/** Statements that make a database as it was when they were asked for, if it was empty then: no rows, first numbers. */
export async function emptying(database: UnitOfWork): Promise<() => Promise<void>> {
  const onPostgres = await database.read((manager) => Promise.resolve(manager.dataSource.options.type === 'postgres'));
  const select = <T>(sql: string) => database.read((manager) => manager.query<T[]>(sql));
  const tables = await select<{ name: string }>(
    onPostgres
      ? `SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'migrations'`
      : `SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'migrations' AND name NOT LIKE '%\\_numbering' ESCAPE '\\'`,
  );
  const numberings = await select<{ name: string }>(
    onPostgres
      ? `SELECT sequencename AS name FROM pg_sequences WHERE schemaname = current_schema()`
      : `SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '%\\_numbering' ESCAPE '\\'`,
  );
  const restart = async ({ name }: { name: string }) => {
    if (onPostgres) {
      const [row] = await select<{ last: string; called: boolean }>(
        `SELECT last_value AS last, is_called AS called FROM "${name}"`,
      );
      return `SELECT setval('"${name}"', ${row!.last}, ${row!.called})`;
    }
    const [row] = await select<{ last: number }>(`SELECT "last" FROM "${name}"`);
    return `UPDATE "${name}" SET "last" = ${row!.last}`;
  };
  const statements = [
    ...tables.map(({ name }) => `DELETE FROM "${name}"`),
    ...(await Promise.all(numberings.map(restart))),
  ];
  return () =>
    database.write(async (manager) => {
      for (const statement of statements) {
        await manager.query(statement);
      }
    });
}
