/*
 * npm run migration:create -- NAME     an empty migration in the house's format, listed in src/platform/database/schema.ts
 * npm run migration:generate -- NAME   the same, with what the entities need beyond the migrations, on both dialects
 *
 * Generating changes no database of yours: it runs the migrations in a throw-away one of each dialect and compares.
 */
import 'reflect-metadata';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { loadConfig } from '../src/platform/config';
import { maintenanceDataSource, migrate } from '../src/platform/database';
import { entities } from '../src/entities';
import { temporaryFile, temporaryPostgres } from '../src/testing';
import { listMigration, SCHEMA } from './list-migration';

const EMPTY = "    await runner.query('SELECT 1');\n";

interface Change {
  up: string[];
  down: string[];
}
type Changes = Record<'sqlite' | 'postgres', Change>;

async function main([task, name = '']: string[]): Promise<void> {
  const words = /^[a-z][a-z\d]*(-[a-z\d]+)*$/.test(name) ? name.split('-') : undefined;
  if (!words || (task !== 'create' && task !== 'generate')) {
    throw new Error('Say which and how it is called, as in: npm run migration:create -- pets-have-colours');
  }
  const changes = task === 'generate' ? await pending() : undefined;
  if (changes && Object.values(changes).every(({ up }) => up.length === 0)) {
    console.log('Nothing is pending: the migrations make what the entities say. No file was written.');
    return;
  }
  const timestamp = Date.now();
  const file = `${timestamp}-${name}`;
  const type = `${words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')}${timestamp}`;
  const path = `src/platform/database/migrations/${file}.ts`;
  writeFileSync(path, migration(type, changes));
  listMigration(file, type);
  execFileSync(process.execPath, ['node_modules/prettier/bin/prettier.cjs', '--write', path, SCHEMA], {
    stdio: 'ignore',
  });
  console.log(`Written: ${path}, and listed in ${SCHEMA}. Say in it what it is for.`);
}

/** What the entities need beyond the migrations. */
async function pending(): Promise<Changes> {
  const server = process.env.TEST_DATABASE_URL;
  if (!server) {
    throw new Error('TEST_DATABASE_URL must name a PostgreSQL server: what both dialects need only both can tell.');
  }
  return { sqlite: await changeOn(temporaryFile()), postgres: await changeOn(await temporaryPostgres(server)) };
}

async function changeOn({ url, drop }: ReturnType<typeof temporaryFile>): Promise<Change> {
  const dataSource = maintenanceDataSource(loadConfig({ DATABASE_URL: url }).database, entities);
  try {
    await dataSource.initialize();
    await migrate(dataSource);
    const { upQueries, downQueries } = await dataSource.driver.createSchemaBuilder().log();
    // indexedText is of PostgreSQL; SQLite knows no such order.
    const sqlOf = ({ query }: { query: string }) => query.replaceAll(' COLLATE C', '');
    return { up: upQueries.map(sqlOf), down: downQueries.map(sqlOf).reverse() };
  } finally {
    await dataSource.destroy();
    await drop();
  }
}

function migration(type: string, changes?: Changes): string {
  const body = (which: keyof Change) => (changes ? statements(changes.sqlite[which], changes.postgres[which]) : EMPTY);
  return `import type { MigrationInterface, QueryRunner } from 'typeorm';

/** TODO: what this is for. */
export class ${type} implements MigrationInterface {
  name = '${type}';

  async up(runner: QueryRunner): Promise<void> {
${body('up')}  }

  async down(runner: QueryRunner): Promise<void> {
${body('down')}  }
}
`;
}

function statements(sqlite: string[], postgres: string[]): string {
  const run = (queries: string[], indent: string) =>
    queries.map((query) => `${indent}await runner.query(\`${query.replace(/[\\`$]/g, '\\$&')}\`);\n`).join('');
  if (sqlite.join() === postgres.join()) {
    return run(sqlite, '    ');
  }
  const on = (sign: '===' | '!==', queries: string[]) =>
    `    if (runner.connection.options.type ${sign} 'postgres') {\n${run(queries, '      ')}    }\n`;
  if (postgres.length === 0 || sqlite.length === 0) {
    return postgres.length === 0 ? on('!==', sqlite) : on('===', postgres);
  }
  return `${on('===', postgres).trimEnd()} else {\n${run(sqlite, '      ')}    }\n`;
}

main(process.argv.slice(2)).catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
