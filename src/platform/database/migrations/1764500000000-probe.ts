import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A row for each process, in which it shows that the database stores. */
export class Probe1764500000000 implements MigrationInterface {
  name = 'Probe1764500000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "probe" ("process" text PRIMARY KEY NOT NULL, "at" bigint NOT NULL)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "probe"`);
  }
}
