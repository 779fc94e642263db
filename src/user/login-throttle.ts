import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { In, LessThan } from 'typeorm';
import { Clock } from '../common/clock';
import { Config } from '../config';
import { UnitOfWork } from '../database/unit-of-work';
import { LoginFailures } from './login-failures.entity';
import { TooManyLogins } from './user.problems';

const SECOND = 1_000;
const LONGEST_WAIT = 15 * 60 * SECOND;
const FORGET_AFTER = 60 * 60 * SECOND;

/**
 * Slows down guessing (OWASP Authentication): each failure past the allowed number doubles the wait,
 * up to 15 minutes; an hour without failures forgets them. Nobody is locked out for good.
 */
@Injectable()
export class LoginThrottle {
  constructor(
    private readonly database: UnitOfWork,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** Throws TooManyLogins while the account or the address has to wait. */
  async check(account: string, address: string): Promise<void> {
    const { perAccount, perAddress } = this.config.loginFailures;
    const allowed = new Map([
      [accountKey(account), perAccount],
      [addressKey(address), perAddress],
    ]);
    const rows = await this.database.read((manager) => manager.findBy(LoginFailures, { key: In([...allowed.keys()]) }));
    const now = this.clock.now();
    const waits = rows.map(({ key, count, lastAt }) => {
      const excess = count - allowed.get(key)!;
      return excess < 0 ? 0 : lastAt + Math.min(SECOND * 2 ** excess, LONGEST_WAIT) - now;
    });
    const wait = Math.max(0, ...waits);
    if (wait > 0) {
      throw new TooManyLogins(Math.ceil(wait / SECOND));
    }
  }

  async failed(account: string, address: string): Promise<void> {
    const lastAt = this.clock.now();
    await this.database.write(async (manager) => {
      await manager.delete(LoginFailures, { lastAt: LessThan(lastAt - FORGET_AFTER) });
      for (const key of [accountKey(account), addressKey(address)]) {
        await manager
          .createQueryBuilder()
          .insert()
          .into(LoginFailures)
          .values({ key, count: 0, lastAt })
          .orIgnore()
          .execute();
        await manager.update(LoginFailures, { key }, { count: () => 'count + 1', lastAt });
      }
    });
  }

  /** The account's owner got in: its failures are forgotten, the address's are not. */
  async succeeded(account: string): Promise<void> {
    const key = accountKey(account);
    if (await this.database.read((manager) => manager.existsBy(LoginFailures, { key }))) {
      await this.database.write((manager) => manager.delete(LoginFailures, { key }));
    }
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const accountKey = (account: string) => sha256(`account ${account}`);
const addressKey = (address: string) => sha256(`address ${address}`);
