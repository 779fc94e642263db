import { randomBytes } from 'node:crypto';
import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, LessThanOrEqual, MoreThan, MoreThanOrEqual, Not, type FindOptionsWhere, type Repository } from 'typeorm';
import { Clock } from '../platform/common/clock';
import type { Int64 } from '../platform/common/json';
import { sha256 } from '../platform/common/sha256';
import { Config } from '../platform/config';
import { UnitOfWork } from '../platform/database';
import { deleteSurplus } from './delete-surplus';
import { Devices } from './devices';
import { Session } from './session.entity';
import type { Caller } from '../platform/http';
import type { TokenVerifier } from './token-verifier';

const TOKEN = /^pus_[\w-]{43}$/;
const TOKENS = /(?<![\w-])pus_[\w-]{43}(?![\w-])/g;
const MINUTE = 60_000;
/** A hundred rows at every tenth log-in: more than were made, so expired ones cannot pile up. */
const CALLS_BETWEEN_SWEEPS = 10;
const ROWS_SWEPT = 100;

// The database counts, since only the user's row, which the unit holds, keeps two log-ins from having the same number.
const NEXT = '(SELECT coalesce(max("nth"), 0) + 1 FROM "session" WHERE "user_id" = :userId)';

/**
 * Knows who is logged in, by the user's id; of users it knows nothing. A session ends at log-out, at its age,
 * and when unused; its last use is written at most once a minute. Times that a wrong clock has put into the future
 * count as now, and are written down so.
 */
@Injectable()
export class SessionService implements TokenVerifier, BeforeApplicationShutdown {
  private readonly logger = new Logger(SessionService.name);
  private tidied = 0;
  /** Fulfils when all tidying that was begun is done. */
  swept: Promise<void> = Promise.resolve();

  constructor(
    @InjectRepository(Session) private readonly sessions: Repository<Session>,
    private readonly database: UnitOfWork,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly devices: Devices,
  ) {}

  /**
   * Begins a session, within the caller's unit, which has to hold the user's row: of log-ins at the same time each then
   * sees the sessions of those before. The token carries 256 random bits; the oldest sessions go when there are too
   * many.
   */
  async begin(userId: Int64): Promise<{ token: string; expiresAt: Date }> {
    const token = `pus_${randomBytes(32).toString('base64url')}`;
    const tokenHash = sha256(token);
    const lastUsedAt = this.clock.now();
    const { maxAgeMs, perUser } = this.config.session;
    const expiresAt = lastUsedAt + maxAgeMs;
    await this.database.inOneRoundTrip([
      () =>
        this.sessions
          .createQueryBuilder()
          .insert()
          .values({ tokenHash, userId, nth: () => NEXT, lastUsedAt, expiresAt })
          .setParameter('userId', BigInt(userId))
          .execute(),
      () => deleteSurplus(this.sessions, { userId }, { nth: 'DESC' }, perUser),
    ]);
    return { token, expiresAt: new Date(expiresAt) };
  }

  /** Whose session a token opens; null when it is unknown, has ended, expired or lain idle too long. */
  async verify(token: string): Promise<Caller | null> {
    if (!TOKEN.test(token)) {
      return null;
    }
    const tokenHash = sha256(token);
    const session = await this.sessions.findOneBy({ tokenHash });
    const { maxAgeMs, maxIdleMs } = this.config.session;
    const now = this.clock.now();
    if (!session || session.expiresAt <= now || session.lastUsedAt + maxIdleMs <= now) {
      return null;
    }
    const { lastUsedAt } = session;
    const expiresAt = Math.min(session.expiresAt, now + maxAgeMs);
    if (Math.abs(now - lastUsedAt) >= MINUTE || session.expiresAt - expiresAt >= MINUTE) {
      // Of requests at the same time only one writes.
      await this.sessions.update({ tokenHash, lastUsedAt }, { lastUsedAt: now, expiresAt });
    }
    return { user: session.userId };
  }

  /** Ends every session whose token stands somewhere in these texts, if there are any. */
  async end(texts: string[]): Promise<void> {
    const hashes = texts.flatMap((text) => text.match(TOKENS) ?? []).map(sha256);
    if (hashes.length > 0) {
      await this.sessions.delete({ tokenHash: In(hashes) });
    }
  }

  /**
   * Ends all sessions of a user but that of a token, within the caller's unit: from its commit on, in every process.
   * His devices are strangers again. For a new password and a deletion, after the user's row was changed: a log-in that
   * is under way waits for that row, and then finds another password.
   */
  async endAll(userId: Int64, exceptToken?: string): Promise<void> {
    await this.sessions.delete({ userId, ...(exceptToken && { tokenHash: Not(sha256(exceptToken)) }) });
    await this.devices.forget(userId);
  }

  /**
   * Deletes, now and then, what is expired, and writes down what would last too long; some rows at a time. Nobody waits
   * for it: under load its statements queue as any others do.
   */
  tidy(): void {
    if (this.tidied++ % CALLS_BETWEEN_SWEEPS === 0) {
      // One after the other, however slow they are. What fails now is done at a later log-in.
      this.swept = this.swept.then(() => this.sweep()).catch((error: unknown) => this.logger.debug({ err: error }));
    }
  }

  /** Before the database is closed. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.swept;
  }

  private async sweep(): Promise<void> {
    await this.sweepExpired();
    await this.cutShort();
    await this.devices.sweep();
  }

  private async sweepExpired(): Promise<void> {
    const expired = await this.find({ expiresAt: LessThanOrEqual(this.clock.now()) });
    if (expired.length > 0) {
      await this.sessions.delete({ tokenHash: In(expired) });
    }
  }

  private async cutShort(): Promise<void> {
    const now = this.clock.now();
    const latest = now + this.config.session.maxAgeMs;
    const tooLong = { tokenHash: In(await this.find({ expiresAt: MoreThanOrEqual(latest + MINUTE) })) };
    await this.sessions.update(tooLong, { expiresAt: latest });
    await this.sessions.update({ ...tooLong, lastUsedAt: MoreThan(now) }, { lastUsedAt: now });
  }

  /** Some of these sessions, by their keys. */
  private async find(where: FindOptionsWhere<Session>): Promise<string[]> {
    const sessions = await this.sessions.find({
      select: { tokenHash: true },
      where,
      order: { expiresAt: 'ASC' },
      take: ROWS_SWEPT,
    });
    return sessions.map(({ tokenHash }) => tokenHash);
  }
}
