import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { Clock } from '../common/clock';
import { parseJson, writeJson } from '../common/json';
import { Problem } from '../common/problem';
import { Config } from '../config';
import { UnitOfWork, type Priority, type Work } from '../database';
import type { Attempt } from './attempt';
import { KeyReused, StillRunning } from './idempotency.problems';
import { IdempotentAnswer } from './idempotent-answer.entity';
import { KeptAnswers } from './kept-answers';

interface StoreOptions<T> {
  /** Whom the value is about, as in `user 7`, so that it can be forgotten. */
  about?: (value: T) => string;
  priority?: Priority;
}

/** Stores what a unit makes, and keeps its value for repeats. */
export interface Write {
  <T>(work: Work<T>, options?: StoreOptions<T>): Promise<T>;
  /** The same for what a single statement of a repository stores: without an attempt that needs no unit. */
  one<T>(store: () => Promise<T>): Promise<T>;
}

/** An attempt, and a hash of what it asks for. */
type Fingerprinted = Attempt & { fingerprint: string };

/** What an earlier attempt made. */
interface Earlier {
  value: unknown;
}

/**
 * Makes a creation safe to repeat. One transaction stores what it makes and the note that it was made: a repeat finds
 * both or neither, in any process, after a crash and after an answer that got lost.
 */
@Injectable()
export class IdempotencyStore {
  private readonly running = new Set<string>();
  /** Of requests without an Idempotency-Key. */
  private readonly plainWrite: Write;
  private readonly kept: KeptAnswers;

  constructor(
    @InjectRepository(IdempotentAnswer) private readonly answers: Repository<IdempotentAnswer>,
    private readonly database: UnitOfWork,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {
    this.kept = new KeptAnswers(answers, clock, config);
    const write = <T>(work: Work<T>, { priority }: StoreOptions<T> = {}) => database.write(work, priority);
    this.plainWrite = Object.assign(write, { one: <T>(store: () => Promise<T>) => store() });
  }

  /**
   * Runs `create` once for all attempts with one key; a repeat gets what the first one made, and runs nothing. `create`
   * is all that a service does to create something, checks and hashing too. It stores by the `write` that it is given,
   * once, and answers what that answers: numbers, strings, plain objects and arrays. `request` is what is asked for, as
   * the rules have kept it: a repeat asks for the same values. What fails is not kept: nothing was made, and the client
   * may try again. Without an attempt it is an ordinary unit. Throws StillRunning while this process works on an
   * earlier attempt, KeyReused for another request under its key.
   */
  async once<T>(attempt: Attempt | undefined, request: unknown, create: (write: Write) => Promise<T>): Promise<T> {
    if (!attempt) {
      return create(this.plainWrite);
    }
    const { key } = attempt;
    if (this.running.has(key)) {
      throw new StillRunning();
    }
    this.running.add(key);
    try {
      const asked = { ...attempt, fingerprint: attempt.fingerprintOf(request) };
      const earlier = await this.lookUp(asked);
      return earlier ? (earlier.value as T) : await this.make(asked, create);
    } finally {
      this.running.delete(key);
    }
  }

  /** Empties the answers about somebody. Call it in the transaction that deletes them. */
  async forget(about: string): Promise<void> {
    await this.answers.update({ about }, { value: null, about: null });
  }

  private async make<T>(attempt: Fingerprinted, create: (write: Write) => Promise<T>): Promise<T> {
    try {
      return await create(this.writeOf(attempt));
    } catch (error) {
      // An attempt in another process, or one that was cut off at COMMIT, may have made since what is in the way.
      const earlier = isConflict(error) ? await this.lookUp(attempt) : undefined;
      if (!earlier) {
        throw error;
      }
      return earlier.value as T;
    }
  }

  /**
   * As `earlier`, and marks the attempt's answer. A row that a wrong clock dated ahead counts from now, so that it does
   * not outlive its time. A database server that is being replaced may show what its successor lacks: a row counts only
   * once a commit has confirmed it.
   */
  private async lookUp(attempt: Fingerprinted): Promise<Earlier | undefined> {
    const { key } = attempt;
    const row = await this.answers.findOneBy({ key });
    const earlier = this.earlier(row, attempt);
    if (!earlier) {
      return undefined;
    }
    const createdAt = Math.min(row!.createdAt, this.clock.now());
    const { affected } = await this.answers.update({ key }, { createdAt });
    if (affected !== 1) {
      return undefined;
    }
    attempt.markReplayed();
    return earlier;
  }

  private writeOf(attempt: Fingerprinted): Write {
    const write = <T>(work: Work<T>, options?: StoreOptions<T>) => this.write(attempt, work, options);
    return Object.assign(write, { one: <T>(store: () => Promise<T>) => write(store) });
  }

  private async write<T>(attempt: Fingerprinted, work: Work<T>, { about, priority }: StoreOptions<T> = {}): Promise<T> {
    const value = await this.database.write(async (manager) => {
      const row = await this.answers.findOneBy({ key: attempt.key });
      if (this.earlier(row, attempt)) {
        throw new StillRunning(); // the unit is rolled back, and `make` finds what another process has made
      }
      if (row) {
        await this.answers.delete({ key: attempt.key });
      }
      const made = await work(manager);
      // Of two processes at once the second violates the unique key; it is run again, and finds the first one's row.
      await this.answers.insert({
        key: attempt.key,
        network: attempt.network,
        fingerprint: attempt.fingerprint,
        value: writeJson(made ?? null),
        about: about?.(made) ?? null,
        createdAt: this.clock.now(),
      });
      return made;
    }, priority);
    // It is made and stored. A sweep that fails is made up for by the next.
    await this.kept.count(attempt.network).catch(() => undefined);
    return value;
  }

  /** What was made under this key, unless that has expired. Throws KeyReused. */
  private earlier(row: IdempotentAnswer | null, { fingerprint }: Fingerprinted): Earlier | undefined {
    if (!row || this.isExpired(row)) {
      return undefined;
    }
    if (row.fingerprint !== fingerprint || row.value === null) {
      throw new KeyReused();
    }
    return { value: parseJson(row.value) ?? undefined };
  }

  private isExpired({ createdAt }: IdempotentAnswer): boolean {
    return createdAt + this.config.idempotencyMaxAgeMs <= this.clock.now();
  }
}

const isConflict = (error: unknown) => error instanceof Problem && error.kind.status === 409;
