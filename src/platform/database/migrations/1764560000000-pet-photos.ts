import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Photos of pets have a table of their own; they go with their pet. */
export class PetPhotos1764560000000 implements MigrationInterface {
  name = 'PetPhotos1764560000000';

  async up(runner: QueryRunner): Promise<void> {
    const postgres = runner.dataSource.options.type === 'postgres';
    await runner.query(`ALTER TABLE "pet" ADD COLUMN "photos_uploaded" integer`);
    await runner.query(`CREATE TABLE "pet_photo" (
      "id" text PRIMARY KEY NOT NULL, "pet_id" bigint NOT NULL, "position" integer NOT NULL,
      "version" bigint NOT NULL, "type" text NOT NULL, "bytes" integer NOT NULL,
      "width" integer NOT NULL, "height" integer NOT NULL, "additional_metadata" text, "uploaded_at" bigint NOT NULL,
      "content" ${postgres ? 'bytea' : 'blob'} NOT NULL,
      CONSTRAINT "pet_photo_pet" FOREIGN KEY ("pet_id") REFERENCES "pet" ("id") ON DELETE CASCADE)`);
    await runner.query(`CREATE INDEX "pet_photo_pet_id" ON "pet_photo" ("pet_id", "position")`);
    if (postgres) {
      // It is compressed already.
      await runner.query(`ALTER TABLE "pet_photo" ALTER COLUMN "content" SET STORAGE EXTERNAL`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE "pet_photo"`);
    await runner.query(`ALTER TABLE "pet" DROP COLUMN "photos_uploaded"`);
  }
}
