import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { In, LessThanOrEqual, type EntityManager } from 'typeorm';
import { Clock } from '../common/clock';
import { toInt64 } from '../common/json';
import { sha256 } from '../common/sha256';
import { Config } from '../config';
import { UnitOfWork } from '../database';
import { Session } from './session.entity';
import type { Caller } from './caller';
import type { TokenVerifier } from './token-verifier';

const TOKEN = /^pus_[\w-]{43}$/;
const MINUTE = 60_000;
/** Rows deleted at one log-in: more than one makes, so expired ones cannot pile up, and few enough to keep it quick. */
const ROWS_SWEPT = 100;

/**
 * Knows who is logged in, by an opaque subject; of users it knows nothing. A session ends at log-out, at its age,
 * and when unused; its last use is written at most once a minute.
 */
@Injectable()
export class SessionService implements TokenVerifier {
  constructor(
    private readonly database: UnitOfWork,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** Begins a session. The token carries 256 random bits; the subject's oldest sessions go when there are too many. */
  async begin(subject: string): Promise<{ token: string; expiresAt: Date }> {
    const token = `pus_${randomBytes(32).toString('base64url')}`;
    const now = this.clock.now();
    const expiresAt = now + this.config.session.maxAgeMs;
    await this.database.write((manager) =>
      manager.insert(Session, { tokenHash: sha256(token), subject, createdAt: now, lastUsedAt: now, expiresAt }),
    );
    // In a transaction of its own: of log-ins at the same time, the last one to get here sees the sessions of them all.
    await this.database.write((manager) => this.sweep(manager, subject, now));
    return { token, expiresAt: new Date(expiresAt) };
  }

  /** Whose session a token opens; null when it is unknown, has ended, expired or lain idle too long. */
  async verify(token: string): Promise<Caller | null> {
    if (!TOKEN.test(token)) {
      return null;
    }
    const session = await this.database.read((manager) => manager.findOneBy(Session, { tokenHash: sha256(token) }));
    const now = this.clock.now();
    if (!session || session.expiresAt <= now || session.lastUsedAt + this.config.session.maxIdleMs <= now) {
      return null;
    }
    const { tokenHash, lastUsedAt } = session;
    if (now - lastUsedAt >= MINUTE) {
      // Of requests at the same time only one writes.
      await this.database.write((manager) => manager.update(Session, { tokenHash, lastUsedAt }, { lastUsedAt: now }));
    }
    return { user: toInt64(session.subject) };
  }

  /** Ends the session of a token, if there is one. */
  async end(token: string): Promise<void> {
    if (TOKEN.test(token)) {
      await this.database.write((manager) => manager.delete(Session, { tokenHash: sha256(token) }));
    }
  }

  /** Deletes expired sessions, and those of the subject beyond the allowed number, the oldest first. */
  private async sweep(manager: EntityManager, subject: string, now: number): Promise<void> {
    const expired = await manager.find(Session, {
      where: { expiresAt: LessThanOrEqual(now) },
      order: { expiresAt: 'ASC' },
      take: ROWS_SWEPT,
    });
    const surplus = await manager.find(Session, {
      where: { subject },
      order: { createdAt: 'DESC' },
      skip: this.config.session.perUser,
      take: ROWS_SWEPT,
    });
    const ended = [...expired, ...surplus].map(({ tokenHash }) => tokenHash);
    if (ended.length > 0) {
      await manager.delete(Session, { tokenHash: In(ended) });
    }
  }
}
