import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEXED: Record<string, string[]> = {
  device: ['token_hash'],
  idempotent_answer: ['key', 'about', 'network'],
  login_failures: ['key'],
  pet: ['owner_id', 'species', 'breed', 'status'],
  pet_photo: ['id'],
  pet_tag: ['name'],
  probe: ['process'],
  session: ['token_hash'],
  user: ['username'],
};

/**
 * PostgreSQL orders texts in indexes by their bytes, as SQLite does. Tables stay as they are, indexes are made anew.
 */
export class IndexedTexts1764580000000 implements MigrationInterface {
  name = 'IndexedTexts1764580000000';

  up(runner: QueryRunner): Promise<void> {
    return collate(runner, '"C"');
  }

  down(runner: QueryRunner): Promise<void> {
    return collate(runner, 'pg_catalog."default"');
  }
}

async function collate(runner: QueryRunner, collation: string): Promise<void> {
  if (runner.dataSource.options.type !== 'postgres') {
    return;
  }
  for (const [table, columns] of Object.entries(INDEXED)) {
    const changes = columns.map((column) => `ALTER COLUMN "${column}" TYPE text COLLATE ${collation}`);
    await runner.query(`ALTER TABLE "${table}" ${changes.join(', ')}`);
  }
}
