import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import { Clock } from '../common/clock';
import { Config } from '../config';
import { UnitOfWork } from '../database/unit-of-work';
import { Session } from './session.entity';
import type { TokenVerifier } from './token-verifier';

const TOKEN = /^pus_[\w-]{43}$/;
const MINUTE = 60_000;

/** Knows who is logged in, by an opaque subject; of users it knows nothing. */
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
    await this.database.write(async (manager) => {
      await manager.delete(Session, { expiresAt: LessThan(now) });
      const others = await manager.find(Session, { where: { subject }, order: { createdAt: 'DESC' } });
      for (const { tokenHash } of others.slice(this.config.session.perUser - 1)) {
        await manager.delete(Session, { tokenHash });
      }
      await manager.insert(Session, { tokenHash: hash(token), subject, createdAt: now, lastUsedAt: now, expiresAt });
    });
    return { token, expiresAt: new Date(expiresAt) };
  }

  /** The session that a token opens; null when it is unknown, has ended, expired or lain idle too long. */
  async verify(token: string): Promise<Session | null> {
    if (!TOKEN.test(token)) {
      return null;
    }
    const session = await this.database.read((manager) => manager.findOneBy(Session, { tokenHash: hash(token) }));
    const now = this.clock.now();
    if (!session || session.expiresAt <= now || session.lastUsedAt + this.config.session.maxIdleMs <= now) {
      return null;
    }
    if (now - session.lastUsedAt >= MINUTE) {
      const { tokenHash } = session;
      await this.database.write((manager) => manager.update(Session, { tokenHash }, { lastUsedAt: now }));
    }
    return session;
  }

  /** Ends the session of a token, if there is one. */
  async end(token: string): Promise<void> {
    if (TOKEN.test(token)) {
      await this.database.write((manager) => manager.delete(Session, { tokenHash: hash(token) }));
    }
  }
}

const hash = (token: string) => createHash('sha256').update(token).digest('hex');
