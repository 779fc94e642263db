import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A user has a version now, which is its ETag. */
export class UserVersions1764520000000 implements MigrationInterface {
  name = 'UserVersions1764520000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "user" ADD COLUMN "version" bigint NOT NULL DEFAULT 1`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "user" DROP COLUMN "version"`);
  }
}
