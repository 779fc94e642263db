import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Client } from 'pg';
import { DataSource, type QueryRunner, type ReplicationMode } from 'typeorm';
import { OutcomeUnknown, Overloaded, Unavailable } from '../../common/problem';
import type { PostgresConfig } from '../../config';
import type { Entities } from '../schema';
import { UnitOfWork, type Work } from '../unit-of-work';
import { isConflict, isDropped, isSilent, postgresFailure } from './postgres-errors';
import { migratePostgres } from './migrate-postgres';
import { postgresOptions } from './postgres.options';

type Unit<T> = (runner: QueryRunner) => Promise<T>;

const MAX_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 10;

/**
 * Each unit has a connection of the pool to itself. It is run again when it got in another's way or its connection
 * dropped, but never once COMMIT was sent and no answer came: it might be stored twice.
 */
@Injectable()
export class PostgresUnitOfWork extends UnitOfWork {
  private pending = 0;
  private writes = 0;

  private constructor(
    private readonly dataSource: DataSource,
    private readonly poolSize: number,
    private readonly limit: number,
  ) {
    super();
  }

  /** Brings the schema up to date and opens the pool. Fails at once when it cannot. */
  static async open(config: PostgresConfig, entities: Entities): Promise<PostgresUnitOfWork> {
    await migratePostgres(config, entities);
    const dataSource = await new DataSource(postgresOptions(config, entities)).initialize();
    return new PostgresUnitOfWork(dataSource, config.poolSize, config.poolSize + config.queueLimit);
  }

  read<T>(work: Work<T>): Promise<T> {
    return this.inTurn((runner) => work(runner.manager));
  }

  /** A replica that fails is passed over. */
  readLagging<T>(work: Work<T>): Promise<T> {
    return this.inTurn((runner) => work(runner.manager), 'slave');
  }

  write<T>(work: Work<T>): Promise<T> {
    this.writes += 1;
    return this.inTurn(async (runner) => {
      await runner.startTransaction();
      const value = await work(runner.manager);
      await commit(runner);
      return value;
    });
  }

  get numbers() {
    const waiting = Math.max(0, this.pending - this.poolSize);
    return { waiting, units: this.writes, commits: this.writes };
  }

  onApplicationShutdown(): Promise<void> {
    return this.dataSource.destroy();
  }

  private async inTurn<T>(unit: Unit<T>, server: ReplicationMode = 'master'): Promise<T> {
    if (this.pending >= this.limit) {
      throw new Overloaded();
    }
    this.pending += 1;
    try {
      return await this.persist(unit, server);
    } catch (error) {
      throw postgresFailure(error);
    } finally {
      this.pending -= 1;
    }
  }

  private async persist<T>(unit: Unit<T>, server: ReplicationMode): Promise<T> {
    if (server === 'slave') {
      return this.onConnection(unit, 'slave').catch(() => this.persist(unit, 'master'));
    }
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.onConnection(unit, 'master');
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !(isConflict(error) || isDropped(error))) {
          throw error;
        }
        await setTimeout(Math.random() * FIRST_PAUSE_MS * 2 ** attempt);
      }
    }
  }

  private async onConnection<T>(unit: Unit<T>, server: ReplicationMode): Promise<T> {
    const runner = this.dataSource.createQueryRunner(server);
    const connection = await connect(runner);
    try {
      return await unit(runner);
    } catch (error) {
      await undo(runner, connection, error);
      throw error;
    } finally {
      await runner.release();
    }
  }
}

async function connect(runner: QueryRunner): Promise<Client> {
  try {
    return (await runner.connect()) as Client;
  } catch (error) {
    throw new Unavailable(error);
  }
}

async function commit(runner: QueryRunner): Promise<void> {
  try {
    await runner.commitTransaction();
  } catch (error) {
    throw isSilent(error) ? new OutcomeUnknown(error) : error;
  }
}

/** Rolls back what is open; a connection that cannot even do that is closed, so that the pool does not hand it on. */
async function undo(runner: QueryRunner, connection: Client, error: unknown): Promise<void> {
  const close = () => void connection.end().catch(() => undefined);
  if (isSilent(error) || error instanceof OutcomeUnknown) {
    close();
  } else if (runner.isTransactionActive) {
    await runner.rollbackTransaction().catch(close);
  }
}
