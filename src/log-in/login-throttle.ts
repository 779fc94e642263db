import { Injectable } from '@nestjs/common';
import { Between, In, LessThan, type EntityManager } from 'typeorm';
import { Clock } from '../common/clock';
import { Config } from '../config';
import { Statement, UnitOfWork } from '../database';
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

type Row = Pick<LoginFailures, 'count' | 'freeAt'>;

/**
 * Counts an attempt, or answers no row where it has to wait. One statement, so that concurrent attempts queue up at the
 * row. Its time may be a little later than ours, of an attempt that came there first: where fewer have failed than are
 * allowed, that is no wait.
 */
function makeCounting(allowed: number): Statement<Row> {
  const interval = Math.ceil(FORGET_AFTER / allowed);
  const time = 'excluded."free_at"';
  const forgotten = `(${time} - "known"."free_at") / ${interval}`; // of integers, so a division of integers
  const isOver = `"known"."free_at" < ${time} - ${FORGET_AFTER} OR ${forgotten} >= "known"."count"`;
  return new Statement(
    `INSERT INTO "login_failures" AS "known" ("key", "count", "free_at") VALUES (?, 1, ?)
     ON CONFLICT ("key") DO UPDATE SET
       "count" = CASE WHEN "known"."free_at" > ${time} THEN "known"."count" + 1
         WHEN ${isOver} THEN 1 ELSE "known"."count" + 1 - ${forgotten} END,
       "free_at" = CASE WHEN "known"."free_at" > ${time} OR ${isOver} THEN ${time}
         ELSE "known"."free_at" + ${forgotten} * ${interval} END
     WHERE "known"."free_at" <= ${time} OR "known"."free_at" > ${time} + ${LONGEST_WAIT} OR "known"."count" < ${allowed}
     RETURNING "count", "free_at" AS "freeAt"`,
  );
}
/** By the number that is allowed, of which there are few. */
const COUNTING = new Map<number, Statement<Row>>();

const SET_WAIT = new Statement('UPDATE "login_failures" SET "free_at" = ? WHERE "key" = ?');
const FORGET = new Statement('DELETE FROM "login_failures" WHERE "key" = ?');
/** The wait of those who have failed meanwhile stays. */
const UNCOUNT = new Statement(
  `UPDATE "login_failures" SET "count" = "count" - 1,
     "free_at" = CASE WHEN "free_at" = ? THEN ? ELSE "free_at" END WHERE "key" = ?`,
);
const FORGET_EMPTY = new Statement('DELETE FROM "login_failures" WHERE "key" = ? AND "count" <= 0');

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
    const counted = await this.database.write((manager) => this.count(manager, policies));
    return { counted, headers: this.headers(counted) };
  }

  /**
   * The account's owner got in, and the attempt was no failure: his own failures are forgotten, those of his network stay
   * as they were before. Within the caller's unit. Answers the rate limit headers.
   */
  async succeeded(manager: EntityManager, { counted }: Admitted): Promise<Record<string, string>> {
    const now = this.clock.now();
    const [own, others] = [true, false].map((yes) => counted.filter(({ policy }) => policy.ownFailures === yes));
    await Promise.all([
      ...own!.map(({ policy }) => FORGET.rows(manager, [policy.key])),
      ...others!.map(({ policy, freeAt, since }) => UNCOUNT.rows(manager, [BigInt(freeAt), BigInt(since), policy.key])),
      ...others!.map(({ policy }) => FORGET_EMPTY.rows(manager, [policy.key])),
    ]);
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

  private async count(manager: EntityManager, policies: Policy[]): Promise<Counted[]> {
    const now = this.clock.now();
    const found = await Promise.all(
      policies.map((policy) => counting(policy).rows(manager, [policy.key, BigInt(now)])),
    );
    const refused = policies.find((_, n) => found[n]!.length === 0);
    if (refused) {
      const { key, allowed } = refused;
      const { freeAt } = await manager.findOneByOrFail(LoginFailures, { key });
      const quota = { policy: refused, count: allowed, freeAt, since: now };
      throw new TooManyLogins(this.headers([quota]), secondsIn(freeAt - now));
    }
    return Promise.all(policies.map((policy, n) => this.withWait(manager, policy, found[n]![0]!, now)));
  }

  private async withWait(
    manager: EntityManager,
    policy: Policy,
    { count, freeAt }: Row,
    now: number,
  ): Promise<Counted> {
    if (count < policy.allowed) {
      return { policy, count, since: freeAt, freeAt };
    }
    const waitsUntil = now + Math.min(SECOND * 2 ** (count - policy.allowed), LONGEST_WAIT);
    await SET_WAIT.rows(manager, [BigInt(waitsUntil), policy.key]);
    return { policy, count, since: freeAt, freeAt: waitsUntil };
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

function counting({ allowed }: Policy): Statement<Row> {
  const statement = COUNTING.get(allowed) ?? makeCounting(allowed);
  COUNTING.set(allowed, statement);
  return statement;
}

const secondsIn = (ms: number) => Math.ceil(ms / SECOND);
