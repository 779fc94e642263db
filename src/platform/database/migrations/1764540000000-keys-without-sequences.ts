import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Sessions and devices have their tokens' hashes as keys: no sequence that stands too low, as after a restore of rows
 * alone, can make a log-in fail. A user's version has no default, so that nothing is read back after an INSERT.
 */
export class KeysWithoutSequences1764540000000 implements MigrationInterface {
  name = 'KeysWithoutSequences1764540000000';

  async up(runner: QueryRunner): Promise<void> {
    await remake(runner, 'session', {
      columns: `"token_hash" text PRIMARY KEY NOT NULL, "user_id" bigint NOT NULL, "nth" bigint NOT NULL,
        "last_used_at" bigint NOT NULL, "expires_at" bigint NOT NULL`,
      rows: `SELECT "token_hash", "user_id", "id", "last_used_at", "expires_at" FROM "session"`,
      indexes: [`"session_user_id" ON "session" ("user_id", "nth")`, SESSIONS_BY_END],
    });
    await remake(runner, 'device', {
      columns: `"token_hash" text PRIMARY KEY NOT NULL, "user_id" bigint NOT NULL, "returned" boolean NOT NULL,
        "expires_at" bigint NOT NULL`,
      rows: `SELECT "token_hash", "user_id", "returned", "expires_at" FROM "device"`,
      indexes: [
        `"device_user_id" ON "device" ("user_id", "returned", "expires_at")`,
        `"device_expires_at" ON "device" ("expires_at")`,
      ],
    });
    await setDefaultVersion(runner, '');
  }

  async down(runner: QueryRunner): Promise<void> {
    const id = isPostgres(runner)
      ? '"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (MAXVALUE 9007199254740991)'
      : '"id" integer PRIMARY KEY AUTOINCREMENT NOT NULL';
    await remake(runner, 'session', {
      columns: `${id}, "token_hash" text NOT NULL, "user_id" bigint NOT NULL,
        "last_used_at" bigint NOT NULL, "expires_at" bigint NOT NULL`,
      into: '"token_hash", "user_id", "last_used_at", "expires_at"',
      rows: `SELECT "token_hash", "user_id", "last_used_at", "expires_at" FROM "session" ORDER BY "nth", "expires_at"`,
      indexes: [`"session_user_id" ON "session" ("user_id", "id")`, SESSIONS_BY_END],
      unique: `"session_token_hash" ON "session" ("token_hash")`,
    });
    await remake(runner, 'device', {
      columns: `${id}, "token_hash" text NOT NULL, "user_id" bigint NOT NULL, "returned" boolean NOT NULL,
        "expires_at" bigint NOT NULL`,
      into: '"token_hash", "user_id", "returned", "expires_at"',
      rows: `SELECT "token_hash", "user_id", "returned", "expires_at" FROM "device" ORDER BY "expires_at"`,
      indexes: [`"device_user_id" ON "device" ("user_id", "returned", "id")`],
      unique: `"device_token_hash" ON "device" ("token_hash")`,
    });
    await setDefaultVersion(runner, 'DEFAULT 1');
  }
}

const SESSIONS_BY_END = `"session_expires_at" ON "session" ("expires_at")`;

interface Table {
  columns: string;
  /** Which of them `rows` has; all where it is absent. */
  into?: string;
  rows: string;
  indexes: string[];
  unique?: string;
}

async function remake(runner: QueryRunner, name: string, { columns, into, rows, indexes, unique }: Table) {
  await runner.query(`CREATE TABLE "${name}_remade" (${columns})`);
  await runner.query(`INSERT INTO "${name}_remade" ${into ? `(${into})` : ''} ${rows}`);
  await runner.query(`DROP TABLE "${name}"`);
  await runner.query(`ALTER TABLE "${name}_remade" RENAME TO "${name}"`);
  for (const index of indexes) {
    await runner.query(`CREATE INDEX ${index}`);
  }
  if (unique) {
    await runner.query(`CREATE UNIQUE INDEX ${unique}`);
  }
}

/** SQLite has no way to change a column but to make the table anew. */
async function setDefaultVersion(runner: QueryRunner, value: string): Promise<void> {
  if (isPostgres(runner)) {
    return void (await runner.query(
      `ALTER TABLE "user" ALTER COLUMN "version" ${value ? `SET ${value}` : 'DROP DEFAULT'}`,
    ));
  }
  await remake(runner, 'user', {
    columns: `"id" bigint PRIMARY KEY NOT NULL,
      "username" text, "first_name" text, "last_name" text, "email" text, "phone" text,
      "user_status" integer, "password_hash" text, "version" bigint NOT NULL ${value}`,
    rows: `SELECT "id", "username", "first_name", "last_name", "email", "phone",
      "user_status", "password_hash", "version" FROM "user"`,
    indexes: [],
    unique: `"user_username" ON "user" ("username")`,
  });
}

const isPostgres = ({ dataSource }: QueryRunner) => dataSource.options.type === 'postgres';
