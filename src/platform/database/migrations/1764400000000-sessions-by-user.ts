import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Sessions belong to a user's id, are numbered in the order they begin, and no longer know when that was: clocks have
 * been wrong before. Devices from which somebody has logged in are remembered.
 */
export class SessionsByUser1764400000000 implements MigrationInterface {
  name = 'SessionsByUser1764400000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "session_by_user" (
      "id" ${generated(runner)}, "token_hash" text NOT NULL, "user_id" bigint NOT NULL,
      "last_used_at" bigint NOT NULL, "expires_at" bigint NOT NULL)`);
    await runner.query(`INSERT INTO "session_by_user" ("token_hash", "user_id", "last_used_at", "expires_at")
      SELECT "token_hash", CAST("subject" AS bigint), "last_used_at", "expires_at" FROM "session" ORDER BY "created_at"`);
    await runner.query(`DROP TABLE "session"`);
    await runner.query(`ALTER TABLE "session_by_user" RENAME TO "session"`);
    await runner.query(`CREATE UNIQUE INDEX "session_token_hash" ON "session" ("token_hash")`);
    await runner.query(`CREATE INDEX "session_user_id" ON "session" ("user_id", "id")`);
    await runner.query(`CREATE INDEX "session_expires_at" ON "session" ("expires_at")`);
    await runner.query(`CREATE TABLE "device" (
      "id" ${generated(runner)}, "token_hash" text NOT NULL, "user_id" bigint NOT NULL,
      "returned" boolean NOT NULL, "expires_at" bigint NOT NULL)`);
    await runner.query(`CREATE UNIQUE INDEX "device_token_hash" ON "device" ("token_hash")`);
    await runner.query(`CREATE INDEX "device_user_id" ON "device" ("user_id", "returned", "id")`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "device"`);
    await runner.query(`CREATE TABLE "session_by_subject" (
      "token_hash" text PRIMARY KEY NOT NULL, "subject" text NOT NULL,
      "created_at" bigint NOT NULL, "last_used_at" bigint NOT NULL, "expires_at" bigint NOT NULL)`);
    // The order in which the sessions began is all that this version reads from "created_at".
    await runner.query(`INSERT INTO "session_by_subject"
      SELECT "token_hash", CAST("user_id" AS text), "id", "last_used_at", "expires_at" FROM "session"`);
    await runner.query(`DROP TABLE "session"`);
    await runner.query(`ALTER TABLE "session_by_subject" RENAME TO "session"`);
    await runner.query(`CREATE INDEX "session_subject" ON "session" ("subject", "created_at")`);
    await runner.query(`CREATE INDEX "session_expires_at" ON "session" ("expires_at")`);
  }
}

const generated = (runner: QueryRunner) =>
  runner.connection.options.type === 'postgres'
    ? 'bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (MAXVALUE 9007199254740991)'
    : 'integer PRIMARY KEY AUTOINCREMENT NOT NULL';
