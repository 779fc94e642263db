import type { EntityManager } from 'typeorm';
import type { Int64 } from '../common/json';
import { jsonElements, Statement } from '../database';
import type { User } from './user.entity';

/*
 * The statements about users whose text must not grow with the number of rows, each of which takes them as one JSON
 * array; and those of every log-in.
 */

const CREDENTIALS = new Statement<Credentials>(
  'SELECT "id", "password_hash" AS "passwordHash" FROM "user" WHERE "username" = ?',
);
const HOLD_HASH = new Statement<{ id: Int64 }>(
  ({ forUpdate }) => `SELECT "id" FROM "user" WHERE "id" = ? AND "password_hash" = ? ${forUpdate}`,
);
const REPLACE_HASH = new Statement<{ id: Int64 }>(
  'UPDATE "user" SET "password_hash" = ? WHERE "id" = ? AND "password_hash" = ? RETURNING "id"',
);

export type Credentials = Pick<User, 'id' | 'passwordHash'>;

/** A user who is to be stored; without an id, the server gives one. */
export interface NewUser extends Omit<User, 'id'> {
  id: Int64 | null;
  /** JSON Pointer to where it stands in the request's body. */
  path: string;
}

/** Which of these users' ids (as text) and usernames are stored. */
export async function findTaken(manager: EntityManager, users: NewUser[]) {
  const names = JSON.stringify(users.map(({ id, username }) => [id === null ? null : String(id), username]));
  const elements = () => jsonElements(manager);
  // Two look-ups by index: PostgreSQL would read the whole table for one with OR.
  const select = `SELECT CAST("id" AS text) AS "id", "username" FROM "user" WHERE`;
  const rows = await manager.sql<{ id: string; username: string | null }[]>`
    ${() => select} "id" IN (SELECT CAST("value" ->> 0 AS bigint) FROM ${elements}(${names})) UNION ALL
    ${() => select} "username" IN (SELECT "value" ->> 1 FROM ${elements}(${names}))`;
  return { ids: new Set(rows.map(({ id }) => id)), usernames: new Set(rows.map(({ username }) => username)) };
}

/** All of a user but the id, for `insertFree`; made before the unit begins, whose turn is short. */
export const asRow = (user: NewUser): string => {
  const { username, firstName, lastName, email, phone, userStatus, passwordHash, version } = user;
  return JSON.stringify([username, firstName, lastName, email, phone, userStatus, passwordHash, version]);
};

/** Stores the users whose id and username are free, and answers their ids as text. */
export async function insertFree(manager: EntityManager, users: { id: Int64; row: string }[]): Promise<Set<string>> {
  const elements = `[${users.map(({ id, row }) => `["${id}",${row.slice(1)}`).join()}]`;
  const stored = await manager.sql<{ id: string }[]>`
    INSERT INTO "user"
      ("id", "username", "first_name", "last_name", "email", "phone", "user_status", "password_hash", "version")
    SELECT CAST("value" ->> 0 AS bigint), "value" ->> 1, "value" ->> 2, "value" ->> 3, "value" ->> 4, "value" ->> 5,
      CAST("value" ->> 6 AS integer), "value" ->> 7, CAST("value" ->> 8 AS bigint) FROM ${() => jsonElements(manager)}(${elements}) WHERE true
    ON CONFLICT DO NOTHING RETURNING CAST("id" AS text) AS "id"`;
  return new Set(stored.map(({ id }) => id));
}

export async function findCredentials(manager: EntityManager, username: string): Promise<Credentials | undefined> {
  const [found] = await CREDENTIALS.rows(manager, [username]);
  return found;
}

/** Whether this is the hash of the user's password, which it stays until the unit ends. */
export const holdHash = async (manager: EntityManager, id: Int64, hash: string): Promise<boolean> =>
  (await HOLD_HASH.rows(manager, [BigInt(id), hash])).length === 1;

/** Whether this was the hash of the user's password, which has another one now. */
export const replaceHash = async (manager: EntityManager, id: Int64, hash: string, other: string): Promise<boolean> =>
  (await REPLACE_HASH.rows(manager, [other, BigInt(id), hash])).length === 1;
