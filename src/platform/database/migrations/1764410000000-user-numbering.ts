import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The server numbers users from 1,000,001, so that the small ids that clients send are free. On PostgreSQL by a
 * sequence, which nobody queues for; ids stay within 2^53−1, so that every JavaScript client can use them.
 */
export class UserNumbering1764410000000 implements MigrationInterface {
  name = 'UserNumbering1764410000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`UPDATE "user_numbering" SET "last" = 1000000 WHERE "last" < 1000000`);
    if (runner.dataSource.options.type === 'postgres') {
      await runner.query(`CREATE SEQUENCE "user_id_seq" MAXVALUE 9007199254740991`);
      await runner.query(`SELECT setval('"user_id_seq"', "last") FROM "user_numbering"`);
      await runner.query(`DROP TABLE "user_numbering"`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    if (runner.dataSource.options.type === 'postgres') {
      await runner.query(`CREATE TABLE "user_numbering" ("id" integer PRIMARY KEY NOT NULL, "last" bigint NOT NULL)`);
      await runner.query(`INSERT INTO "user_numbering" ("id", "last") SELECT 1, "last_value" FROM "user_id_seq"`);
      await runner.query(`DROP SEQUENCE "user_id_seq"`);
    }
  }
}
