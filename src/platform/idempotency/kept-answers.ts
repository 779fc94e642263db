import { In, LessThanOrEqual, MoreThan, type Repository } from 'typeorm';
import type { Clock } from '../common/clock';
import type { Config } from '../config';
import type { IdempotentAnswer } from './idempotent-answer.entity';

/**
 * Rows that are kept at most, however many keys are sent. A network may have as many as are left free, as with
 * FairShareLimiter: one alone may have half.
 */
const MAX_ROWS = 100_000;
const ANSWERS_BETWEEN_SWEEPS = 20;
const ROWS_SWEPT = 1_000;

type Key = Pick<IdempotentAnswer, 'key'>;

/** Bounds how many answers are kept, how long, and of whom. */
export class KeptAnswers {
  /** Of the answers that were stored since the last sweep. */
  private networks: string[] = [];

  constructor(
    private readonly answers: Repository<IdempotentAnswer>,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  /** Counts an answer that was stored, and sweeps after every twenty. */
  async count(network: string): Promise<void> {
    this.networks.push(network);
    if (this.networks.length >= ANSWERS_BETWEEN_SWEEPS) {
      await this.sweep(new Set(this.networks.splice(0)));
    }
  }

  /**
   * Deletes what has expired, and of each of the networks the oldest beyond its share; where no network has too many
   * but all together have, the oldest of all. A row that a wrong clock dated ahead counts from now.
   */
  private async sweep(networks: Set<string>): Promise<void> {
    const now = this.clock.now();
    await this.answers.update({ createdAt: MoreThan(now) }, { createdAt: now });
    const expired = await this.answers.find({
      select: { key: true },
      where: { createdAt: LessThanOrEqual(now - this.config.idempotencyMaxAgeMs) },
      take: ROWS_SWEPT,
    });
    const total = await this.answers.count();
    const surplus: Key[] = [];
    for (const network of networks) {
      surplus.push(...(await this.oldest({ network }, Math.max(1, MAX_ROWS - total))));
    }
    if (surplus.length === 0 && total > MAX_ROWS) {
      surplus.push(...(await this.oldest({}, MAX_ROWS)));
    }
    await this.answers.delete({ key: In([...expired, ...surplus].map(({ key }) => key)) });
  }

  private oldest(where: { network?: string }, kept: number): Promise<Key[]> {
    const order = { createdAt: 'DESC' } as const;
    return this.answers.find({ select: { key: true }, where, order, skip: kept, take: ROWS_SWEPT });
  }
}
