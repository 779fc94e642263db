import type { MigrationInterface, QueryRunner } from 'typeorm';

/** From which network a request with an Idempotency-Key came; of those that are kept already nobody knows it. */
export class AnswersByNetwork1764570000000 implements MigrationInterface {
  name = 'AnswersByNetwork1764570000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "idempotent_answer" ADD COLUMN "network" text NOT NULL DEFAULT ''`);
    await runner.query(
      `CREATE INDEX "idempotent_answer_network" ON "idempotent_answer" ("network", "created_at", "key")`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX "idempotent_answer_network"`);
    await runner.query(`ALTER TABLE "idempotent_answer" DROP COLUMN "network"`);
  }
}
