import { Injectable } from '@nestjs/common';
import { In, LessThanOrEqual, MoreThan, type EntityManager } from 'typeorm';
import { Clock } from '../common/clock';
import { parseJson, writeJson } from '../common/json';
import { Problem, Unavailable } from '../common/problem';
import { Config } from '../config';
import { UnitOfWork, type BoundStatement, type Lane, type Work } from '../database';
import type { Attempt } from './attempt';
import { KeyReused, StillRunning } from './idempotency.problems';
import { IdempotentAnswer } from './idempotent-answer.entity';

interface WriteOptions<T> {
  /** Names whom the value tells of, as in `user 7`, so that it can be forgotten. */
  about?: (value: T) => string;
  lane?: Lane;
}

/** Stores what a unit makes; its value is kept for repeats. */
export interface Write {
  <T>(work: Work<T>, options?: WriteOptions<T>): Promise<T>;
  /** The same for a unit of one statement, see UnitOfWork.writeOne, and what `make` makes of its rows. */
  one<Row, T>(statement: BoundStatement<Row>, make: (rows: Row[]) => T): Promise<T>;
}

/** What an earlier attempt made. */
interface Earlier {
  value: unknown;
}

/** Rows kept, oldest out: however many keys are sent, the table grows no further. */
const MAX_ROWS = 100_000;
const ANSWERS_BETWEEN_SWEEPS = 20;
const ROWS_SWEPT = 1_000;

/**
 * Makes a creation safe to repeat: what it makes, and the note that it was made, are stored in one transaction, so a
 * repeat finds either both or neither, on any process, after a crash and after an answer that got lost.
 */
@Injectable()
export class Repeats {
  private readonly running = new Set<string>();
  /** Of requests without an Idempotency-Key. */
  private readonly plainWrite: Write;
  private stored = 0;

  constructor(
    private readonly database: UnitOfWork,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {
    const write = <T>(work: Work<T>, { lane }: WriteOptions<T> = {}) => database.write(work, lane);
    const one: Write['one'] = async (statement, make) => make(await database.writeOne(statement));
    this.plainWrite = Object.assign(write, { one });
  }

  /**
   * What a service does to create something: all of it, checks and hashing too, so that a repeat does none of it.
   * `create` stores with the `write` that it is given, once, and answers what that answers: numbers, strings, plain
   * objects and arrays. What fails is not kept: nothing was made, and the client may try again. Without an attempt it
   * is an ordinary unit. Throws StillRunning while this process works on an earlier attempt, KeyReused for another
   * request under its key.
   */
  async once<T>(attempt: Attempt | undefined, create: (write: Write) => Promise<T>): Promise<T> {
    if (!attempt) {
      return create(this.plainWrite);
    }
    if (this.running.has(attempt.key)) {
      throw new StillRunning();
    }
    this.running.add(attempt.key);
    try {
      const earlier = await this.lookUp(attempt);
      return earlier ? (earlier.value as T) : await this.make(attempt, create);
    } finally {
      this.running.delete(attempt.key);
    }
  }

  /** Empties the answers that tell of somebody; called in the transaction that deletes them. */
  async forget(manager: EntityManager, about: string): Promise<void> {
    await manager.update(IdempotentAnswer, { about }, { value: null, about: null });
  }

  private async make<T>(attempt: Attempt, create: (write: Write) => Promise<T>): Promise<T> {
    try {
      return await create(this.writeOf(attempt));
    } catch (error) {
      // What is in the way may be what an attempt in another process, or one cut off at COMMIT, has made since.
      const earlier = error instanceof MadeMeanwhile || isConflict(error) ? await this.lookUp(attempt) : undefined;
      if (!earlier) {
        throw error;
      }
      return earlier.value as T;
    }
  }

  /**
   * As `earlier`, and the attempt's answer says so. What a wrong clock dated ahead counts from now, so that it does not
   * outlive its time. A server that is being replaced may show what its successor lacks, so what is found is told only
   * once a commit has confirmed it.
   */
  private async lookUp(attempt: Attempt): Promise<Earlier | undefined> {
    const { key } = attempt;
    const row = await this.database.read((manager) => manager.findOneBy(IdempotentAnswer, { key }));
    const earlier = this.earlier(row, attempt);
    if (!earlier) {
      return undefined;
    }
    const createdAt = Math.min(row!.createdAt, this.clock.now());
    const { affected } = await this.database.write((manager) =>
      manager.update(IdempotentAnswer, { key }, { createdAt }),
    );
    if (affected !== 1) {
      return undefined;
    }
    attempt.tellReplayed();
    return earlier;
  }

  private writeOf(attempt: Attempt): Write {
    const write = <T>(work: Work<T>, options?: WriteOptions<T>) => this.write(attempt, work, options);
    const one: Write['one'] = (statement, make) => write(async (manager) => make(await statement.rows(manager)));
    return Object.assign(write, { one });
  }

  private async write<T>(attempt: Attempt, work: Work<T>, { about, lane }: WriteOptions<T> = {}): Promise<T> {
    const value = await this.database.write(async (manager) => {
      const row = await manager.findOneBy(IdempotentAnswer, { key: attempt.key });
      if (this.earlier(row, attempt)) {
        throw new MadeMeanwhile();
      }
      if (row) {
        await manager.delete(IdempotentAnswer, { key: attempt.key });
      }
      const made = await work(manager);
      // Two processes at once: the second one's key is a unique violation, it is run again and finds the first one's.
      await manager.insert(IdempotentAnswer, {
        key: attempt.key,
        fingerprint: attempt.fingerprint,
        value: writeJson(made ?? null),
        about: about?.(made) ?? null,
        createdAt: this.clock.now(),
      });
      return made;
    }, lane);
    this.stored += 1;
    if (this.stored % ANSWERS_BETWEEN_SWEEPS === 0) {
      // Made and stored it is; a sweep that fails is made up for by the next.
      await this.database.write((manager) => this.sweep(manager)).catch(() => undefined);
    }
    return value;
  }

  /** What was made under this key, if it may still be told. Throws KeyReused. */
  private earlier(row: IdempotentAnswer | null, { fingerprint }: Attempt): Earlier | undefined {
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

  /** Deletes what has expired, and the oldest beyond MAX_ROWS. What a wrong clock dated ahead counts from now. */
  private async sweep(manager: EntityManager): Promise<void> {
    const now = this.clock.now();
    await manager.update(IdempotentAnswer, { createdAt: MoreThan(now) }, { createdAt: now });
    const expired = await manager.find(IdempotentAnswer, {
      select: { key: true },
      where: { createdAt: LessThanOrEqual(now - this.config.idempotencyMaxAgeMs) },
      take: ROWS_SWEPT,
    });
    const surplus = await manager.find(IdempotentAnswer, {
      select: { key: true },
      order: { createdAt: 'DESC' },
      skip: MAX_ROWS,
      take: ROWS_SWEPT,
    });
    const keys = new Set([...expired, ...surplus].map(({ key }) => key));
    if (keys.size > 0) {
      await manager.delete(IdempotentAnswer, { key: In([...keys]) });
    }
  }
}

const isConflict = (error: unknown) => error instanceof Problem && error.kind.status === 409;

/** Another process was faster; the unit is rolled back. Only when what that one made has gone since is it told. */
class MadeMeanwhile extends Unavailable {
  constructor() {
    super(new Error('An earlier attempt has stored it meanwhile.'));
  }
}
