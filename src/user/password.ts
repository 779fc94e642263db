import { availableParallelism } from 'node:os';
import { Injectable } from '@nestjs/common';
import { hash, verify, Algorithm } from '@node-rs/argon2';
import { Overloaded } from '../common/problem';
import { Config } from '../config';

const MAX_WAITING_LOGINS = 1_000;
const MAX_WAITING_BULK_REQUESTS = 100;

/**
 * Hashes and checks passwords with argon2id (OWASP Password Storage), on one core less than there are.
 * Log-ins go first; a bulk request has one hash waiting at a time, so bulk requests share fairly.
 */
@Injectable()
export class Passwords {
  private readonly logins: (() => void)[] = [];
  private readonly bulk: (() => void)[] = [];
  private free = Math.max(1, availableParallelism() - 1);
  private dummy?: Promise<string>;

  constructor(private readonly config: Config) {}

  /** Hashes the passwords of one bulk request, in order. Throws Overloaded. */
  async hashAll(passwords: (string | undefined)[]): Promise<(string | null)[]> {
    const hashes: (string | null)[] = [];
    for (const password of passwords) {
      hashes.push(password === undefined ? null : await this.inTurn(this.bulk, () => this.hash(password)));
    }
    return hashes;
  }

  /** Waits for a place before bulk work, then runs a whole log-in attempt in it. Throws Overloaded. */
  attempt<T>(logIn: () => Promise<T>): Promise<T> {
    return this.inTurn(this.logins, logIn);
  }

  /**
   * Whether the password is the one. Without a hash it costs one check all the same,
   * so the time taken does not tell a stranger which usernames exist.
   */
  async matches(passwordHash: string | null, password: string): Promise<boolean> {
    this.dummy ??= this.hash('');
    const matches = await verify(passwordHash ?? (await this.dummy), password);
    return matches && passwordHash !== null;
  }

  private hash(password: string): Promise<string> {
    const { memoryKiB, timeCost, parallelism } = this.config.argon2;
    // The package declares Algorithm as a const enum, which isolated modules cannot read: 2 is argon2id.
    const algorithm = 2 as Algorithm.Argon2id;
    return hash(password, { algorithm, memoryCost: memoryKiB, timeCost, parallelism });
  }

  private async inTurn<T>(queue: (() => void)[], work: () => Promise<T>): Promise<T> {
    if (this.free > 0) {
      this.free -= 1;
    } else {
      if (queue.length >= (queue === this.logins ? MAX_WAITING_LOGINS : MAX_WAITING_BULK_REQUESTS)) {
        throw new Overloaded();
      }
      await new Promise<void>((turn) => queue.push(turn));
    }
    try {
      return await work();
    } finally {
      const next = this.logins.shift() ?? this.bulk.shift();
      if (next) {
        next();
      } else {
        this.free += 1;
      }
    }
  }
}
