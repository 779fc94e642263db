import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What requests with an Idempotency-Key made, for those who repeat them. */
export class IdempotentAnswers1764420000000 implements MigrationInterface {
  name = 'IdempotentAnswers1764420000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE "idempotent_answer" (
      "key" text PRIMARY KEY NOT NULL, "fingerprint" text NOT NULL, "value" text, "about" text,
      "created_at" bigint NOT NULL)`);
    await runner.query(`CREATE INDEX "idempotent_answer_about" ON "idempotent_answer" ("about")`);
    await runner.query(`CREATE INDEX "idempotent_answer_created_at" ON "idempotent_answer" ("created_at")`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "idempotent_answer"`);
  }
}
