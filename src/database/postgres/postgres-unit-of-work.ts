import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { OutcomeUnknown, Overloaded } from '../../common/problem';
import type { PostgresConfig } from '../../config';
import type { Entities } from '../schema';
import type { BoundStatement } from '../statement';
import { UnitOfWork, type Lane, type Work } from '../unit-of-work';
import { Connections } from './connections';
import type { Link } from './link';
import { isCollision, isConflict, isLost, postgresFailure } from './postgres-errors';
import { migratePostgres } from './migrate-postgres';
import { lookAtServer } from './look-at-server';
import { connectionConfig, postgresOptions, timeoutsOfTransaction, type ServerTraits } from './postgres.options';
import { Replicas } from './replicas';
import type { Statement } from './statements';
import { runOn, Transaction } from './transaction';

/** One of several units in a transaction spoilt it: nothing is stored, and each may be run by itself. */
class Spoilt extends Error {}

interface Unit {
  statement: BoundStatement<unknown>;
  done: (rows: unknown) => void;
  failed: (reason: unknown) => void;
}

const MAX_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 10;

const MAX_GROUP = 128;
const GROUPS_AT_ONCE = 2;
/** A group that takes longer, since one of its units waits for a lock, does not keep the next one waiting. */
const GROUP_TURN_MS = 100;
/** A group does not wait longer for a lock that one of its units wants: the units are then run alone. */
const GROUP_LOCK_TIMEOUT = { sql: `SET LOCAL lock_timeout = '100ms'` };

/**
 * A unit is run again when it got in another's way or its connection was lost, but never once COMMIT was sent and no
 * answer came: it might be stored twice. Units of one statement that wait share a transaction (group commit).
 */
@Injectable()
export class PostgresUnitOfWork extends UnitOfWork {
  private readonly connections: Connections;
  private readonly replicas: Replicas;
  private readonly limit: number;
  /** Statements with which each transaction begins. */
  private readonly settings: Statement[];
  private readonly waiting: Unit[] = [];
  private pending = 0;
  private groups = 0;
  private units = 0;
  private commits = 0;

  private constructor(
    private readonly dataSource: DataSource,
    private readonly config: PostgresConfig,
    traits: ServerTraits,
  ) {
    super();
    this.limit = config.poolSize + config.queueLimit;
    const { master } = dataSource.driver as unknown as { master: Pool };
    this.connections = new Connections(master, config.poolSize, connectionConfig(config, config.url, traits));
    const replicas = config.replicaUrls.map((url) => connectionConfig(config, url, traits));
    this.replicas = new Replicas(replicas, config.poolSize);
    this.settings = traits.takesTimeouts ? [] : [timeoutsOfTransaction(config)];
  }

  /** Brings the schema up to date and opens the pool. Fails at once when it cannot. */
  static async open(config: PostgresConfig, entities: Entities): Promise<PostgresUnitOfWork> {
    const traits = await lookAtServer(config);
    await migratePostgres(config, entities);
    const dataSource = await new DataSource(postgresOptions(config, entities, traits)).initialize();
    return new PostgresUnitOfWork(dataSource, config, traits);
  }

  read<T>(work: Work<T>, lane: Exclude<Lane, 'urgent'> = 'usual'): Promise<T> {
    return this.counted(() => this.readOnPrimary(work, lane));
  }

  /** A replica that fails is passed over. */
  readLagging<T>(work: Work<T>): Promise<T> {
    return this.counted(async () => {
      const answer = await this.replicas.read((link) => runOn(this.dataSource, link.query, work, false));
      return answer ? answer.value : this.readOnPrimary(work, 'usual');
    });
  }

  write<T>(work: Work<T>, lane: Lane = 'usual'): Promise<T> {
    this.units += 1;
    return this.counted(() =>
      this.retrying((until) => this.connections.use(lane, until, (link) => this.transact(link, work))),
    );
  }

  writeOne<Row>(statement: BoundStatement<Row>): Promise<Row[]> {
    this.units += 1;
    return this.counted(
      () =>
        new Promise<Row[]>((resolve, failed) => {
          this.waiting.push({ statement, done: resolve as (rows: unknown) => void, failed });
          // Those that come in the same turn of the event loop share a group.
          setImmediate(() => void this.drain());
        }),
    );
  }

  get metrics() {
    const waiting = Math.max(0, this.pending - this.config.poolSize);
    return { waiting, units: this.units, commits: this.commits };
  }

  async onApplicationShutdown(): Promise<void> {
    this.connections.stop();
    await this.replicas.stop();
    await this.dataSource.destroy();
  }

  private async counted<T>(run: () => Promise<T>): Promise<T> {
    if (this.pending >= this.limit) {
      throw new Overloaded();
    }
    this.pending += 1;
    try {
      return await run();
    } catch (error) {
      throw postgresFailure(error);
    } finally {
      this.pending -= 1;
    }
  }

  private readOnPrimary<T>(work: Work<T>, lane: Exclude<Lane, 'urgent'>): Promise<T> {
    return this.retrying((until) =>
      this.connections.use(lane === 'bulk' ? 'list' : 'read', until, (link) =>
        runOn(this.dataSource, link.query, work, false),
      ),
    );
  }

  /** `attempt` is told how long it may wait for a connection, as performance.now() counts. */
  private async retrying<T>(attempt: (until: number) => Promise<T>): Promise<T> {
    const patience = this.config.timeoutsMs.connect;
    const end = performance.now() + patience;
    for (let attempts = 1; ; attempts++) {
      try {
        return await attempt(performance.now() + patience);
      } catch (error) {
        // A server that is away is not waited for: others stand behind this unit.
        const isWorthIt =
          isConflict(error) || (isCollision(error) && attempts === 1) || (isLost(error) && performance.now() < end);
        if (attempts === MAX_ATTEMPTS || !isWorthIt) {
          throw error;
        }
        await setTimeout(Math.random() * FIRST_PAUSE_MS * 2 ** attempts);
      }
    }
  }

  private async transact<T>(link: Link, work: Work<T>): Promise<T> {
    const transaction = new Transaction(link, this.settings);
    try {
      const value = await runOn(this.dataSource, transaction.query, work);
      this.commits += 1;
      await transaction.commit();
      return value;
    } catch (error) {
      await transaction.rollBack();
      throw error;
    }
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0 && this.groups < GROUPS_AT_ONCE) {
      this.groups += 1;
      await atMost(GROUP_TURN_MS, this.store(this.waiting.splice(0, MAX_GROUP)));
      this.groups -= 1;
    }
  }

  /** Runs units in one transaction; when one of them spoils it, each in a transaction of its own. */
  private async store(group: Unit[]): Promise<void> {
    try {
      const values = await this.retrying((until) =>
        this.connections.use('usual', until, (link) => this.transactAll(link, group)),
      );
      group.forEach(({ done }, n) => done(values[n]));
    } catch (error) {
      if (error instanceof Spoilt) {
        await Promise.all(group.map((unit) => this.store([unit])));
      } else {
        group.forEach(({ failed }) => failed(error));
      }
    }
  }

  private async transactAll(link: Link, group: Unit[]): Promise<unknown[]> {
    const isShared = group.length > 1;
    const transaction = new Transaction(link, isShared ? [...this.settings, GROUP_LOCK_TIMEOUT] : this.settings);
    try {
      const values = await runOn(this.dataSource, transaction.query, (manager) =>
        Promise.all(group.map(({ statement }) => statement.rows(manager))),
      );
      this.commits += 1;
      await transaction.commit();
      return values;
    } catch (error) {
      await transaction.rollBack();
      throw isShared && !isLost(error) && !(error instanceof OutcomeUnknown) ? new Spoilt() : error;
    }
  }
}

/** Settles with `work`, or before when it takes longer. */
async function atMost(ms: number, work: Promise<void>): Promise<void> {
  const timer = new AbortController();
  await Promise.race([work, setTimeout(ms, undefined, { signal: timer.signal }).catch(() => undefined)]);
  timer.abort();
}
