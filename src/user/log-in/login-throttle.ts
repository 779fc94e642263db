import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Between, In, LessThan, LessThanOrEqual, MoreThan, type Repository } from 'typeorm';
import { Clock } from '../../platform/common/clock';
import { Config } from '../../platform/config';
import { UnitOfWork } from '../../platform/database';
import { LoginFailures } from './login-failures.entity';
import { keysOfAccount, policiesFor, type LogInAttempt, type Policy } from './policies';
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
  /**
   * Until when the next attempt has to wait, if that is in the future; else since when failures are being forgotten.
   */
  freeAt: number;
  /** The same, had the attempt not been one. */
  since: number;
}

/**
 * Slows down guessing (OWASP Authentication): each failure past the allowed number doubles the wait, up to 15 minutes;
 * in an hour as many are forgotten as are allowed, one after the other, and all in an hour without any. Nobody is
 * locked out for good. Counts stand in the database, for all processes. A time further in the future than the longest
 * wait was stored by a clock that was wrong, and counts as now.
 */
@Injectable()
export class LoginThrottle {
  private attempts = 0;

  constructor(
    @InjectRepository(LoginFailures) private readonly failures: Repository<LoginFailures>,
    private readonly database: UnitOfWork,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /**
   * Lets an attempt in, and counts it as failed until `succeeded` says otherwise: of guesses at the same time, in
   * however many processes, no more than allowed are let in. Throws TooManyLogins.
   */
  async admit(attempt: LogInAttempt): Promise<Admitted> {
    this.attempts += 1;
    if (this.attempts % ATTEMPTS_BETWEEN_SWEEPS === 0) {
      await this.sweep();
    }
    const policies = policiesFor(attempt, this.config.loginFailures);
    const counted = await this.database.write(() => this.count(attempt.account, policies));
    return { counted, headers: this.headers(counted) };
  }

  /**
   * The account's owner got in, and the attempt was no failure: his own failures are forgotten, those of his network
   * stay as they were before. Within the caller's unit. Answers the rate limit headers.
   */
  async succeeded({ counted }: Admitted): Promise<Record<string, string>> {
    const now = this.clock.now();
    const [own, others] = [true, false].map((yes) => counted.filter(({ policy }) => policy.ownFailures === yes));
    await this.database.inOneRoundTrip([
      ...own!.map((one) => () => this.failures.delete({ key: one.policy.key })),
      ...others!.map((one) => () => this.uncount(one)),
    ]);
    return this.headers(
      counted.map((one) => ({ ...one, count: one.policy.ownFailures ? 0 : one.count - 1, freeAt: now })),
    );
  }

  /** The attempt was no failure, and no success either: all counts are as they were before. */
  async takeBack({ counted }: Admitted): Promise<void> {
    await this.database.write(() => this.database.inOneRoundTrip(counted.map((one) => () => this.uncount(one))));
  }

  /** Deletes what was counted for an account, within the caller's unit. */
  async forget(account: string): Promise<void> {
    await this.failures.delete({ key: Between(...keysOfAccount(account)) });
  }

  private async count(account: string, policies: Policy[]): Promise<Counted[]> {
    const now = this.clock.now();
    const found = await this.database.inOneRoundTrip(policies.map((policy) => () => this.countOne(policy, now)));
    const refused = policies.find((_, n) => !found[n]);
    if (refused) {
      const { key, allowed } = refused;
      const { freeAt } = await this.failures.findOneByOrFail({ key });
      const quota = { policy: refused, count: allowed, freeAt, since: now };
      throw new TooManyLogins(account, this.headers([quota]), secondsIn(freeAt - now));
    }
    const counted = policies.map((policy, n) => withWait(policy, found[n]!, now));
    const waiting = counted.filter(({ freeAt, since }) => freeAt !== since);
    await this.database.inOneRoundTrip(
      waiting.map((one) => () => this.failures.update({ key: one.policy.key }, { freeAt: one.freeAt })),
    );
    return counted;
  }

  /**
   * Counts an attempt, or answers no row where it has to wait. In one statement of our own, so that the database
   * decides, and concurrent attempts queue up at the row. Its time may be a little later than ours, of an attempt that
   * came there first: where fewer have failed than are allowed, that is no wait.
   */
  private async countOne({ key, allowed }: Policy, now: number): Promise<Row | undefined> {
    const interval = Math.ceil(FORGET_AFTER / allowed);
    const time = 'excluded."free_at"';
    const forgotten = `(${time} - "known"."free_at") / ${interval}`; // of integers, so a division of integers
    const isOver = `"known"."free_at" < ${time} - ${FORGET_AFTER} OR ${forgotten} >= "known"."count"`;
    const [row] = await this.failures.manager.sql<Row[]>`
      INSERT INTO "login_failures" AS "known" ("key", "count", "free_at") VALUES (${key}, 1, ${now})
      ON CONFLICT ("key") DO UPDATE SET ${() => `
        "count" = CASE WHEN "known"."free_at" > ${time} THEN "known"."count" + 1
          WHEN ${isOver} THEN 1 ELSE "known"."count" + 1 - ${forgotten} END,
        "free_at" = CASE WHEN "known"."free_at" > ${time} OR ${isOver} THEN ${time}
          ELSE "known"."free_at" + ${forgotten} * ${interval} END
      WHERE "known"."free_at" <= ${time} OR "known"."free_at" > ${time} + ${LONGEST_WAIT} OR "known"."count" < ${allowed}
      RETURNING "count", "free_at" AS "freeAt"`}`;
    return row;
  }

  /** What was counted is no failure. The wait of those who have failed meanwhile stays. */
  private async uncount({ policy: { key }, freeAt, since }: Counted): Promise<void> {
    await this.database.inOneRoundTrip([
      ...(freeAt === since ? [] : [() => this.failures.update({ key, freeAt }, { freeAt: since })]),
      () => this.failures.decrement({ key }, 'count', 1),
      () => this.failures.delete({ key, count: LessThanOrEqual(0) }),
    ]);
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

  /**
   * Deletes what is forgotten, and beyond MAX_ROWS what had to wait least; what no wait explains is first put right.
   */
  private async sweep(): Promise<void> {
    const now = this.clock.now();
    const tooFar = await this.failures.find({ where: { freeAt: MoreThan(now + LONGEST_WAIT) }, take: ROWS_SWEPT });
    await this.failures.update({ key: In(keysOf(tooFar)) }, { freeAt: now });
    const forgotten = await this.failures.find({
      where: { freeAt: LessThan(now - FORGET_AFTER) },
      take: ROWS_SWEPT,
    });
    const surplus = await this.failures.find({ order: { freeAt: 'DESC' }, skip: MAX_ROWS, take: ROWS_SWEPT });
    await this.failures.delete({ key: In(keysOf([...forgotten, ...surplus])) });
  }
}

type Row = Pick<LoginFailures, 'count' | 'freeAt'>;

function withWait(policy: Policy, { count, freeAt }: Row, now: number): Counted {
  const wait = Math.min(SECOND * 2 ** (count - policy.allowed), LONGEST_WAIT);
  return { policy, count, since: freeAt, freeAt: count < policy.allowed ? freeAt : now + wait };
}

const keysOf = (rows: LoginFailures[]) => rows.map(({ key }) => key);

const secondsIn = (ms: number) => Math.ceil(ms / SECOND);
