import type { MigrationInterface, QueryRunner } from 'typeorm';

/** All tables of the first version. Times are milliseconds since 1970; names of JSON columns are in the entities. */
export class Initial1764000000000 implements MigrationInterface {
  name = 'Initial1764000000000';

  async up(runner: QueryRunner): Promise<void> {
    // Generated ids stay within 2^53−1, so that every JavaScript client can use them.
    const generated =
      runner.connection.options.type === 'postgres'
        ? 'bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (MAXVALUE 9007199254740991)'
        : 'integer PRIMARY KEY AUTOINCREMENT NOT NULL';
    await runner.query(`CREATE TABLE "pet" (
      "id" ${generated},
      "name" text NOT NULL, "owner_id" text, "owner" text, "species" text, "breed" text,
      "category" text, "photo_urls" text, "tags" text, "status" text)`);
    await runner.query(`CREATE TABLE "user" (
      "id" bigint PRIMARY KEY NOT NULL,
      "username" text, "first_name" text, "last_name" text, "email" text, "phone" text,
      "user_status" integer, "password_hash" text)`);
    await runner.query(`CREATE UNIQUE INDEX "user_username" ON "user" ("username")`);
    await runner.query(`CREATE TABLE "user_numbering" ("id" integer PRIMARY KEY NOT NULL, "last" bigint NOT NULL)`);
    await runner.query(`INSERT INTO "user_numbering" ("id", "last") VALUES (1, 0)`);
    await runner.query(`CREATE TABLE "session" (
      "token_hash" text PRIMARY KEY NOT NULL, "subject" text NOT NULL,
      "created_at" bigint NOT NULL, "last_used_at" bigint NOT NULL, "expires_at" bigint NOT NULL)`);
    await runner.query(`CREATE INDEX "session_subject" ON "session" ("subject", "created_at")`);
    await runner.query(`CREATE INDEX "session_expires_at" ON "session" ("expires_at")`);
    await runner.query(`CREATE TABLE "login_failures" (
      "key" text PRIMARY KEY NOT NULL, "count" integer NOT NULL, "free_at" bigint NOT NULL)`);
    await runner.query(`CREATE INDEX "login_failures_free_at" ON "login_failures" ("free_at")`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['login_failures', 'session', 'user_numbering', 'user', 'pet']) {
      await runner.query(`DROP TABLE "${table}"`);
    }
  }
}
