import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, LessThanOrEqual, MoreThan, Not, type Repository } from 'typeorm';
import { Clock } from '../platform/common/clock';
import type { Int64 } from '../platform/common/json';
import { sha256 } from '../platform/common/sha256';
import { UnitOfWork } from '../platform/database';
import { deleteSurplus } from './delete-surplus';
import { Device } from './device.entity';

const TOKEN = /^pud_[\w-]{43}$/;
const YEAR = 365 * 24 * 3_600_000;
/**
 * Most devices of a user that have come back, and as many that have not: otherwise a program without cookies would push
 * out the others.
 */
const MOST_OF_EACH = 10;
const ROWS_SWEPT = 100;

/** What a client is given to be known again. */
export interface DeviceCookie {
  token: string;
  expiresAt: Date;
}

/**
 * Knows from where a user has logged in before (OWASP, "Device cookies"), so that guesses made elsewhere do not keep
 * him out. A device is a random token, of one user, stored as its SHA-256; it opens nothing.
 */
@Injectable()
export class Devices {
  constructor(
    @InjectRepository(Device) private readonly devices: Repository<Device>,
    private readonly database: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** The first of these tokens that was given to this user. The same work whether the user exists or not. */
  async find(shown: string[], userId: Int64 | undefined): Promise<string | undefined> {
    const tokens = shown.filter((token) => TOKEN.test(token)); // no more than a head has room for
    if (tokens.length === 0) {
      return undefined;
    }
    const known = await this.devices.findBy({
      tokenHash: In(tokens.map(sha256)),
      userId: userId ?? 0,
      expiresAt: MoreThan(this.clock.now()),
    });
    return tokens.find((token) => known.some(({ tokenHash }) => tokenHash === sha256(token)));
  }

  /** Remembers the device that `find` has found, or else a new one, within the caller's unit. */
  async remember(userId: Int64, known?: string): Promise<DeviceCookie> {
    const token = known ?? `pud_${randomBytes(32).toString('base64url')}`;
    const expiresAt = this.clock.now() + YEAR;
    const device = { tokenHash: sha256(token), userId, returned: known !== undefined, expiresAt };
    const others = { userId, returned: device.returned, tokenHash: Not(device.tokenHash) };
    await this.database.inOneRoundTrip([
      () => this.devices.upsert(device, ['tokenHash']),
      () => deleteSurplus(this.devices, others, { expiresAt: 'DESC' }, MOST_OF_EACH - 1),
    ]);
    return { token, expiresAt: new Date(expiresAt) };
  }

  /** All devices of a user are strangers again. */
  async forget(userId: Int64): Promise<void> {
    await this.devices.delete({ userId });
  }

  /** Deletes some of those that have not been seen for a year; what a wrong clock dated ahead counts as seen now. */
  async sweep(): Promise<void> {
    const now = this.clock.now();
    await this.devices.update({ expiresAt: MoreThan(now + YEAR) }, { expiresAt: now + YEAR });
    const expired = await this.devices.find({
      select: { tokenHash: true },
      where: { expiresAt: LessThanOrEqual(now) },
      order: { expiresAt: 'ASC' },
      take: ROWS_SWEPT,
    });
    if (expired.length > 0) {
      await this.devices.delete({ tokenHash: In(expired.map(({ tokenHash }) => tokenHash)) });
    }
  }
}
