import type { EntityManager } from 'typeorm';
import type { Int64 } from '../common/json';
import { Insertion, Statement } from '../database';
import { User } from './user.entity';

/*
 * The statements about many users, whose text must not grow with their number, and those of every log-in.
 */

// Takes ids and usernames as one JSON array. By two look-ups by index: PostgreSQL would read the whole table for an OR.
const TAKEN = new Statement<{ id: string; username: string | null }>(({ jsonElements }) => {
  const select = `SELECT CAST("id" AS text) AS "id", "username" FROM "user" WHERE`;
  return `${select} "id" IN (SELECT CAST("value" ->> 0 AS bigint) FROM ${jsonElements}(?)) UNION ALL
    ${select} "username" IN (SELECT "value" ->> 1 FROM ${jsonElements}(?))`;
});

/** Of users who have an id. */
export const insertion = new Insertion(User, 'id');

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
  const rows = await TAKEN.rows(manager, [names, names]);
  return { ids: new Set(rows.map(({ id }) => id)), usernames: new Set(rows.map(({ username }) => username)) };
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
