import { Injectable } from '@nestjs/common';
import { Between, In, LessThan, type EntityManager } from 'typeorm';
import { Clock } from '../common/clock';
import { Config } from '../config';
import { UnitOfWork } from '../database';
import { LoginFailures } from './login-failures.entity';
import { keysOfAccount, policiesFor, type Attempt, type Policy } from './policies';
import { rateLimitHeaders, type Quota } from './rate-limit';
import { TooManyLogins } from './log-in.problems';

const SECOND = 1_000;
const LONGEST_WAIT = 15 * 60 * SECOND;
const FORGET_AFTER = 60 * 60 * SECOND;

/** Rows kept, about 20 MB: however many names and addresses are tried, the table grows no further. */
const MAX_ROWS = 100_000;
const ATTEMPTS_BETWEEN_SWEEPS = 100;
const ROWS_SWEPT = 1_000;

/** An attempt that was let in, and what was counted for it. */
export interface Admitted {
  counted: Counted[];
  headers: Record<string, string>;
}

interface Counted {
  policy: Policy;
  count: number;
  /** Until when the next attempt has to wait, if that is in the future; else since when failures are being forgotten. */
  freeAt: number;
  /** The same, had the attempt not been one. */
  since: number;
}

/**
 * Slows down guessing (OWASP Authentication): each failure past the allowed number doubles the wait, up to 15 minutes;
 * in an hour as many are forgotten as are allowed, one after the other, and all in an hour without any. Nobody is locked out for good. Counts stand in the database, for all processes.
 * A time further in the future than the longest wait was stored by a clock that was wrong, and counts as now.
 */
@Injectable()
export class LoginThrottle {
  private attempts = 0;

  constructor(
    private readonly database: UnitOfWork,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /**
   * Lets an attempt in, and counts it as failed until `succeeded` says otherwise: of guesses at the same time, in however
   * many processes, no more than allowed are let in. Throws TooManyLogins.
   */
  async admit(attempt: Attempt): Promise<Admitted> {
    this.attempts += 1;
    if (this.attempts % ATTEMPTS_BETWEEN_SWEEPS === 0) {
      await this.database.write((manager) => this.sweep(manager));
    }
    const policies = policiesFor(attempt, this.config.loginFailures);
    const counted = await this.database.write(async (manager) => {
      const all: Counted[] = [];
      for (const policy of policies) {
        all.push(await this.count(manager, policy));
      }
      return all;
    });
    return { counted, headers: this.headers(counted) };
  }

  /**
   * The account's owner got in, and the attempt was no failure: his own failures are forgotten, those of his network stay
   * as they were before. Within the caller's unit. Answers the rate limit headers.
   */
  async succeeded(manager: EntityManager, { counted }: Admitted): Promise<Record<string, string>> {
    const now = this.clock.now();
    const [own, others] = [true, false].map((yes) => counted.filter(({ policy }) => policy.ownFailures === yes));
    await manager.delete(LoginFailures, { key: In(keysOf(own!)) });
    for (const { policy, freeAt, since } of others!) {
      // The wait of those who have failed meanwhile stays.
      await manager.sql`
        UPDATE "login_failures" SET "count" = "count" - 1,
          "free_at" = CASE WHEN "free_at" = ${freeAt} THEN ${since} ELSE "free_at" END
        WHERE "key" = ${policy.key}`;
    }
    if (others!.length > 0) {
      await manager.sql`DELETE FROM "login_failures" WHERE "key" IN (${() => keysOf(others!)}) AND "count" <= 0`;
    }
    return this.headers(
      counted.map(({ policy, count }) => ({
        policy,
        count: policy.ownFailures ? 0 : count - 1,
        freeAt: now,
        since: now,
      })),
    );
  }

  /** Deletes what was counted for an account, within the caller's unit. */
  async forget(manager: EntityManager, account: string): Promise<void> {
    await manager.delete(LoginFailures, { key: Between(...keysOfAccount(account)) });
  }

  private async count(manager: EntityManager, policy: Policy): Promise<Counted> {
    const { key, allowed } = policy;
    const now = this.clock.now();
    const [time, interval] = [BigInt(now), BigInt(Math.ceil(FORGET_AFTER / allowed))];
    // One statement, so that concurrent attempts queue up at the row. Its time may be a little later than ours, of an
    // attempt that came there first: where fewer have failed than are allowed, that is no wait.
    // Of integers, so the division is one of integers.
    const [row] = await manager.sql<{ count: number; freeAt: number }[]>`
      INSERT INTO "login_failures" AS "known" ("key", "count", "free_at") VALUES (${key}, 1, ${time})
      ON CONFLICT ("key") DO UPDATE SET
        "count" = CASE WHEN "known"."free_at" > ${time} THEN "known"."count" + 1
          WHEN (${time} - "known"."free_at") / ${interval} >= "known"."count" OR "known"."free_at" < ${now - FORGET_AFTER} THEN 1
          ELSE "known"."count" + 1 - (${time} - "known"."free_at") / ${interval} END,
        "free_at" = CASE WHEN "known"."free_at" > ${time} OR "known"."free_at" < ${now - FORGET_AFTER}
            OR (${time} - "known"."free_at") / ${interval} >= "known"."count" THEN ${time}
          ELSE "known"."free_at" + (${time} - "known"."free_at") / ${interval} * ${interval} END
      WHERE "known"."free_at" <= ${time} OR "known"."free_at" > ${now + LONGEST_WAIT} OR "known"."count" < ${allowed}
      RETURNING "count", "free_at" AS "freeAt"`;
    if (!row) {
      const { freeAt } = await manager.findOneByOrFail(LoginFailures, { key });
      throw new TooManyLogins(this.headers([{ policy, count: allowed, freeAt, since: now }]), secondsIn(freeAt - now));
    }
    const wait = row.count < allowed ? 0 : Math.min(SECOND * 2 ** (row.count - allowed), LONGEST_WAIT);
    if (wait > 0) {
      await manager.update(LoginFailures, { key }, { freeAt: now + wait });
    }
    return { policy, count: row.count, since: row.freeAt, freeAt: wait > 0 ? now + wait : row.freeAt };
  }

  /** Of the counts of one name the one that leaves least. */
  private headers(counted: Counted[]): Record<string, string> {
    const quotas = counted.map((one) => this.quotaOf(one));
    const names = new Set(quotas.map(({ name }) => name));
    const tightest = (name: string) =>
      quotas.filter((quota) => quota.name === name).reduce((least, quota) => (quota.left < least.left ? quota : least));
    return rateLimitHeaders([...names].map(tightest));
  }

  private quotaOf({ policy: { name, allowed }, count, freeAt }: Counted): Quota {
    const wait = freeAt - this.clock.now();
    return {
      name,
      allowed,
      left: Math.max(0, allowed - count),
      windowSeconds: FORGET_AFTER / SECOND,
      secondsLeft: secondsIn(wait > 0 ? wait : FORGET_AFTER),
    };
  }

  /** Deletes what is forgotten, and beyond MAX_ROWS what had to wait least; what no wait explains is first put right. */
  private async sweep(manager: EntityManager): Promise<void> {
    const now = this.clock.now();
    await manager.sql`
      UPDATE "login_failures" SET "free_at" = ${now} WHERE "key" IN (
        SELECT "key" FROM "login_failures" WHERE "free_at" > ${now + LONGEST_WAIT} LIMIT ${ROWS_SWEPT})`;
    const forgotten = await manager.find(LoginFailures, {
      where: { freeAt: LessThan(now - FORGET_AFTER) },
      take: ROWS_SWEPT,
    });
    const surplus = await manager.find(LoginFailures, { order: { freeAt: 'DESC' }, skip: MAX_ROWS, take: ROWS_SWEPT });
    const keys = new Set([...forgotten, ...surplus].map(({ key }) => key));
    if (keys.size > 0) {
      await manager.delete(LoginFailures, { key: In([...keys]) });
    }
  }
}

const keysOf = (counted: Counted[]) => counted.map(({ policy }) => policy.key);
const secondsIn = (ms: number) => Math.ceil(ms / SECOND);
