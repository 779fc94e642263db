import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { In, type EntityManager } from 'typeorm';
import { Clock } from '../common/clock';
import type { Int64 } from '../common/json';
import { sha256 } from '../common/sha256';
import { Config } from '../config';
import { Statement, UnitOfWork } from '../database';
import { Devices } from './devices';
import { Session } from './session.entity';
import type { Caller } from './caller';
import type { TokenVerifier } from './token-verifier';

const TOKEN = /^pus_[\w-]{43}$/;
const TOKENS = /(?<![\w-])pus_[\w-]{43}(?![\w-])/g;
const MINUTE = 60_000;
/** A hundred rows at every tenth log-in: more than were made, so expired ones cannot pile up. */
const CALLS_BETWEEN_SWEEPS = 10;
const ROWS_SWEPT = 100;

/** Asked for at every request with a token. */
const BY_TOKEN_HASH = new Statement<Pick<Session, 'userId' | 'lastUsedAt' | 'expiresAt'>>(
  `SELECT "user_id" AS "userId", "last_used_at" AS "lastUsedAt", "expires_at" AS "expiresAt"
   FROM "session" WHERE "token_hash" = ?`,
);

const INSERT = new Statement(
  'INSERT INTO "session" ("token_hash", "user_id", "last_used_at", "expires_at") VALUES (?, ?, ?, ?)',
);
const DELETE_SURPLUS = new Statement(
  `DELETE FROM "session" WHERE "user_id" = ? AND "id" <= (
     SELECT "id" FROM "session" WHERE "user_id" = ? ORDER BY "id" DESC LIMIT 1 OFFSET ?)`,
);

/**
 * Knows who is logged in, by the user's id; of users it knows nothing. A session ends at log-out, at its age,
 * and when unused; its last use is written at most once a minute. Times that a wrong clock has put into the future
 * count as now, and are written down so.
 */
@Injectable()
export class SessionService implements TokenVerifier {
  private tidied = 0;

  constructor(
    private readonly database: UnitOfWork,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly devices: Devices,
  ) {}

  /**
   * Begins a session, within the caller's unit, which has to hold the user's row: of log-ins at the same time each then
   * sees the sessions of those before. The token carries 256 random bits; the oldest sessions go when there are too many.
   */
  async begin(manager: EntityManager, user: Int64): Promise<{ token: string; expiresAt: Date }> {
    const token = `pus_${randomBytes(32).toString('base64url')}`;
    const now = this.clock.now();
    const expiresAt = now + this.config.session.maxAgeMs;
    const id = BigInt(user);
    await Promise.all([
      INSERT.rows(manager, [sha256(token), id, BigInt(now), BigInt(expiresAt)]),
      DELETE_SURPLUS.rows(manager, [id, id, this.config.session.perUser]),
    ]);
    return { token, expiresAt: new Date(expiresAt) };
  }

  /** Whose session a token opens; null when it is unknown, has ended, expired or lain idle too long. */
  async verify(token: string): Promise<Caller | null> {
    if (!TOKEN.test(token)) {
      return null;
    }
    const tokenHash = sha256(token);
    const [session] = await this.database.readOne(BY_TOKEN_HASH.with([tokenHash]));
    const { maxAgeMs, maxIdleMs } = this.config.session;
    const now = this.clock.now();
    if (!session || session.expiresAt <= now || session.lastUsedAt + maxIdleMs <= now) {
      return null;
    }
    const { lastUsedAt } = session;
    const expiresAt = Math.min(session.expiresAt, now + maxAgeMs);
    if (Math.abs(now - lastUsedAt) >= MINUTE || session.expiresAt - expiresAt >= MINUTE) {
      // Of requests at the same time only one writes.
      await this.database.write((manager) =>
        manager.update(Session, { tokenHash, lastUsedAt }, { lastUsedAt: now, expiresAt }),
      );
    }
    return { user: session.userId };
  }

  /** Ends every session whose token stands somewhere in these texts, if there are any. */
  async end(texts: string[]): Promise<void> {
    const hashes = texts.flatMap((text) => text.match(TOKENS) ?? []).map(sha256);
    if (hashes.length > 0) {
      await this.database.write((manager) => manager.delete(Session, { tokenHash: In(hashes) }));
    }
  }

  /**
   * Ends all sessions of a user but that of a token, within the caller's unit: from its commit on, in every process.
   * His devices are strangers again. For a new password and a deletion, after the user's row was changed: a log-in that
   * is under way waits for that row, and then finds another password.
   */
  async endAll(manager: EntityManager, user: Int64, exceptToken?: string): Promise<void> {
    const spared = exceptToken === undefined ? '' : sha256(exceptToken);
    await manager.sql`DELETE FROM "session" WHERE "user_id" = ${user} AND "token_hash" <> ${spared}`;
    await this.devices.forget(manager, user);
  }

  /** Deletes, now and then, what is expired, and writes down what would last too long; some rows at a time. */
  async tidy(): Promise<void> {
    if (this.tidied++ % CALLS_BETWEEN_SWEEPS === 0) {
      await this.database.write((manager) => this.sweep(manager, this.clock.now()));
    }
  }

  private async sweep(manager: EntityManager, now: number): Promise<void> {
    const latest = now + this.config.session.maxAgeMs;
    await Promise.all([
      manager.sql`
        DELETE FROM "session" WHERE "id" IN (
          SELECT "id" FROM "session" WHERE "expires_at" <= ${now} ORDER BY "expires_at" LIMIT ${ROWS_SWEPT})`,
      manager.sql`
        UPDATE "session" SET "expires_at" = ${latest},
          "last_used_at" = CASE WHEN "last_used_at" > ${now} THEN ${now} ELSE "last_used_at" END
        WHERE "id" IN (
          SELECT "id" FROM "session" WHERE "expires_at" >= ${latest + MINUTE} ORDER BY "expires_at" LIMIT ${ROWS_SWEPT})`,
      this.devices.sweep(manager),
    ]);
  }
}
