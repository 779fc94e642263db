import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../common/clock';
import type { Int64 } from '../common/json';
import { sha256 } from '../common/sha256';
import { Statement } from '../database';

const TOKEN = /^pud_[\w-]{43}$/;
const YEAR = 365 * 24 * 3_600_000;
/** Of a user: so many that have come back, and so many that have not, or a program without cookies would push out the others. */
const MOST_OF_EACH = 10;
const MOST_SHOWN = 5;
const ROWS_SWEPT = 100;

const FIND = new Statement<{ hash: string }>(
  ({ jsonElements }) => `SELECT "token_hash" AS "hash" FROM "device" WHERE "token_hash" IN (
     SELECT "value" ->> 0 FROM ${jsonElements}(?)) AND "user_id" = ? AND "expires_at" > ?`,
);
const DELETE = new Statement('DELETE FROM "device" WHERE "token_hash" = ?');
const INSERT = new Statement(
  'INSERT INTO "device" ("token_hash", "user_id", "returned", "expires_at") VALUES (?, ?, ?, ?)',
);
const DELETE_SURPLUS = new Statement(
  `DELETE FROM "device" WHERE "user_id" = ? AND "returned" = ? AND "id" <= (
     SELECT "id" FROM "device" WHERE "user_id" = ? AND "returned" = ? ORDER BY "id" DESC LIMIT 1 OFFSET ?)`,
);

/** What a client is given to be known again. */
export interface DeviceCookie {
  token: string;
  expiresAt: Date;
}

/**
 * Knows from where a user has logged in before (OWASP, "Device cookies"), so that guesses made elsewhere do not keep him
 * out. A device is a random token, of one user, stored as its SHA-256; it opens nothing.
 */
@Injectable()
export class Devices {
  constructor(private readonly clock: Clock) {}

  /** The first of these tokens that was given to this user. The same work whether the user exists or not. */
  async find(manager: EntityManager, shown: string[], user: Int64 | undefined): Promise<string | undefined> {
    const tokens = shown.filter((token) => TOKEN.test(token)).slice(0, MOST_SHOWN);
    if (tokens.length === 0) {
      return undefined;
    }
    const hashes = JSON.stringify(tokens.map((token) => [sha256(token)]));
    const known = await FIND.rows(manager, [hashes, BigInt(user ?? 0), BigInt(this.clock.now())]);
    return tokens.find((token) => known.some(({ hash }) => hash === sha256(token)));
  }

  /** Remembers the device that `find` has found, or else a new one, within the caller's unit. */
  async remember(manager: EntityManager, user: Int64, known?: string): Promise<DeviceCookie> {
    const token = known ?? `pud_${randomBytes(32).toString('base64url')}`;
    const returned = known !== undefined;
    const expiresAt = this.clock.now() + YEAR;
    const [hash, id] = [sha256(token), BigInt(user)];
    await Promise.all([
      ...(returned ? [DELETE.rows(manager, [hash])] : []),
      INSERT.rows(manager, [hash, id, returned, BigInt(expiresAt)]),
      DELETE_SURPLUS.rows(manager, [id, returned, id, returned, MOST_OF_EACH]),
    ]);
    return { token, expiresAt: new Date(expiresAt) };
  }

  /** All devices of a user are strangers again, from the caller's commit on. */
  async forget(manager: EntityManager, user: Int64): Promise<void> {
    await manager.sql`DELETE FROM "device" WHERE "user_id" = ${user}`;
  }

  /** Deletes some of those that have not been seen for a year. They stand in the order in which they were seen. */
  async sweep(manager: EntityManager): Promise<void> {
    await manager.sql`
      DELETE FROM "device" WHERE "expires_at" <= ${this.clock.now()} AND "id" IN (
        SELECT "id" FROM "device" ORDER BY "id" LIMIT ${ROWS_SWEPT})`;
  }
}
