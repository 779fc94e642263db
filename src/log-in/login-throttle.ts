import { Injectable } from '@nestjs/common';
import { In, LessThan, type EntityManager } from 'typeorm';
import { Clock } from '../common/clock';
import { sha256 } from '../common/sha256';
import { Config } from '../config';
import { UnitOfWork } from '../database';
import { LoginFailures } from './login-failures.entity';
import { networksOf } from '../common/network';
import { rateLimitHeaders, type Quota } from './rate-limit';
import { TooManyLogins } from './log-in.problems';

const SECOND = 1_000;
const LONGEST_WAIT = 15 * 60 * SECOND;
const FORGET_AFTER = 60 * 60 * SECOND;

/** Rows kept, about 20 MB: however many names and addresses are tried, the table grows no further. */
const MAX_ROWS = 100_000;
const ATTEMPTS_BETWEEN_SWEEPS = 100;
const ROWS_SWEPT = 1_000;

/** Who tries to log in, from where. */
export interface Attempt {
  account: string;
  address: string;
}

/** One count of failures. */
interface Policy {
  name: 'account' | 'address';
  key: string;
  allowed: number;
}

/**
 * Slows down guessing (OWASP Authentication): each failure past the allowed number doubles the wait, up to 15 minutes;
 * an hour without failures forgets them. Nobody is locked out for good. Counts stand in the database, for all processes.
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
   * many processes, no more than allowed are let in. Answers the rate limit headers. Throws TooManyLogins.
   */
  async admit(attempt: Attempt): Promise<Record<string, string>> {
    this.attempts += 1;
    if (this.attempts % ATTEMPTS_BETWEEN_SWEEPS === 0) {
      await this.database.write((manager) => this.sweep(manager));
    }
    const quotas = await this.database.write(async (manager) => {
      const counted: Quota[] = [];
      for (const policy of this.policies(attempt)) {
        counted.push(await this.count(manager, policy));
      }
      return counted;
    });
    return rateLimitHeaders(quotas);
  }

  /**
   * The account's owner got in: its failures are forgotten, the address's are not. Within the caller's unit.
   * Answers the rate limit headers.
   */
  async succeeded(manager: EntityManager, attempt: Attempt): Promise<Record<string, string>> {
    const [account, address] = this.policies(attempt);
    const now = this.clock.now();
    await manager.delete(LoginFailures, { key: account.key });
    // As it was before this attempt, which had not had to wait.
    await manager.update(LoginFailures, { key: address.key }, { count: () => '"count" - 1', freeAt: now });
    const count = (await manager.findOneBy(LoginFailures, { key: address.key }))?.count ?? 0;
    return rateLimitHeaders([quotaOf(account, 0, 0), quotaOf(address, count, 0)]);
  }

  private policies({ account, address }: Attempt): [Policy, Policy] {
    const { perAccount, perAddress } = this.config.loginFailures;
    return [
      { name: 'account', key: sha256(`account ${account}`), allowed: perAccount },
      { name: 'address', key: sha256(`address ${networksOf(address)[0]}`), allowed: perAddress },
    ];
  }

  private async count(manager: EntityManager, policy: Policy): Promise<Quota> {
    const { key, allowed } = policy;
    const now = this.clock.now();
    // One statement, so that concurrent attempts queue up at the row. Only a wrong clock has made anybody wait longer
    // than the longest wait: such a time counts as now.
    const [row] = await manager.sql<{ count: number }[]>`
      INSERT INTO "login_failures" AS "known" ("key", "count", "free_at") VALUES (${key}, 1, ${now})
      ON CONFLICT ("key") DO UPDATE SET "free_at" = ${now},
        "count" = CASE WHEN "known"."free_at" < ${now - FORGET_AFTER} THEN 1 ELSE "known"."count" + 1 END
      WHERE "known"."free_at" <= ${now} OR "known"."free_at" > ${now + LONGEST_WAIT} RETURNING "count"`;
    if (!row) {
      const { freeAt } = await manager.findOneByOrFail(LoginFailures, { key });
      throw new TooManyLogins(rateLimitHeaders([quotaOf(policy, allowed, freeAt - now)]), secondsIn(freeAt - now));
    }
    const wait = row.count < allowed ? 0 : Math.min(SECOND * 2 ** (row.count - allowed), LONGEST_WAIT);
    if (wait > 0) {
      await manager.update(LoginFailures, { key }, { freeAt: now + wait });
    }
    return quotaOf(policy, row.count, wait);
  }

  /** Deletes what is forgotten, and beyond MAX_ROWS what had to wait least. */
  private async sweep(manager: EntityManager): Promise<void> {
    const forgotten = await manager.find(LoginFailures, {
      where: { freeAt: LessThan(this.clock.now() - FORGET_AFTER) },
      take: ROWS_SWEPT,
    });
    const surplus = await manager.find(LoginFailures, { order: { freeAt: 'DESC' }, skip: MAX_ROWS, take: ROWS_SWEPT });
    const keys = new Set([...forgotten, ...surplus].map(({ key }) => key));
    if (keys.size > 0) {
      await manager.delete(LoginFailures, { key: In([...keys]) });
    }
  }
}

const quotaOf = ({ name, allowed }: Policy, count: number, wait: number): Quota => ({
  name,
  allowed,
  left: Math.max(0, allowed - count),
  windowSeconds: FORGET_AFTER / SECOND,
  secondsLeft: secondsIn(wait > 0 ? wait : FORGET_AFTER),
});
const secondsIn = (ms: number) => Math.ceil(ms / SECOND);
