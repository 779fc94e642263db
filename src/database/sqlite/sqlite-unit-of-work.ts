import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { DataSource, QueryRunner } from 'typeorm';
import { Overloaded } from '../../common/problem';
import type { SqliteConfig } from '../../config';
import { failure } from '../failure';
import { migrate } from '../migrate';
import type { Entities } from '../schema';
import { UnitOfWork, type Work } from '../unit-of-work';
import { FileLock } from './file-lock';
import { sqliteDataSource } from './sqlite-data-source';
import { sqliteFailure } from './sqlite-errors';
import { readerOptions, writerOptions } from './sqlite.options';

interface Unit {
  work: Work<unknown>;
  done: (value: unknown) => void;
  failed: (reason: unknown) => void;
}

const MAX_GROUP = 256;

/**
 * TypeORM's SQLite driver has a single connection, on which concurrent transactions would run into one another;
 * so writes take turns, and those that wait share one COMMIT (group commit): each is a savepoint, fails alone,
 * and is acknowledged after the COMMIT.
 */
@Injectable()
export class SqliteUnitOfWork extends UnitOfWork {
  private readonly waiting: Unit[] = [];
  private draining = false;
  private units = 0;
  private commits = 0;

  private constructor(
    private readonly lock: FileLock,
    private readonly writer: DataSource,
    private readonly reader: DataSource,
    private readonly queueLimit: number,
  ) {
    super();
  }

  /** Opens the database, makes the file where there is none, and migrates it. Fails at once when it cannot. */
  static async open(config: SqliteConfig, entities: Entities): Promise<SqliteUnitOfWork> {
    const lock = FileLock.take(config.file);
    const writer = sqliteDataSource(writerOptions(config, entities));
    try {
      await writer.initialize();
      await migrate(writer);
      const reader = await sqliteDataSource(readerOptions(config, entities)).initialize();
      return new SqliteUnitOfWork(lock, writer, reader, config.queueLimit);
    } catch (error) {
      if (writer.isInitialized) {
        await writer.destroy();
      }
      lock.release();
      throw error;
    }
  }

  async read<T>(work: Work<T>): Promise<T> {
    try {
      return await work(this.reader.manager);
    } catch (error) {
      throw sqliteFailure(error);
    }
  }

  readLagging<T>(work: Work<T>): Promise<T> {
    return this.read(work);
  }

  write<T>(work: Work<T>): Promise<T> {
    if (this.waiting.length >= this.queueLimit) {
      return Promise.reject(new Overloaded());
    }
    return new Promise<T>((resolve, failed) => {
      this.waiting.push({ work, done: resolve as (value: unknown) => void, failed });
      if (!this.draining) {
        void this.drain();
      }
    });
  }

  get numbers() {
    return { waiting: this.waiting.length, units: this.units, commits: this.commits };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.reader.destroy();
    await this.writer.destroy();
    this.lock.release();
  }

  private async drain(): Promise<void> {
    this.draining = true;
    while (this.waiting.length > 0) {
      // A COMMIT keeps the event loop busy until the disk has it: first hear the requests that have come meanwhile,
      // so that they share the next one. Without this, every group is a group of one.
      await nextTurn();
      await this.commit(this.waiting.splice(0, MAX_GROUP));
    }
    this.draining = false;
  }

  private async commit(group: Unit[]): Promise<void> {
    const runner = this.writer.createQueryRunner();
    const answers: (() => void)[] = [];
    this.units += group.length;
    this.commits += 1;
    try {
      await runner.startTransaction();
      for (const unit of group) {
        answers.push(await this.runAsSavepoint(unit, runner));
      }
      await runner.commitTransaction();
    } catch (error) {
      await abandon(runner);
      group.forEach(({ failed }) => failed(sqliteFailure(error)));
      return;
    }
    answers.forEach((answer) => answer());
  }

  private async runAsSavepoint({ work, done, failed }: Unit, runner: QueryRunner): Promise<() => void> {
    await runner.startTransaction();
    // A runner of the unit's own, so that nothing which the unit left running gets into what follows.
    const own = Object.create(runner) as QueryRunner & { isReleased: boolean };
    try {
      const value = await work(this.writer.createEntityManager(own));
      own.isReleased = true;
      await runner.commitTransaction();
      return () => done(value);
    } catch (error) {
      own.isReleased = true;
      await rollBack(runner, error);
      return () => failed(sqliteFailure(error));
    }
  }
}

/** Where SQLite has already rolled back everything, as it does on a full disk, the whole group fails. */
async function rollBack(runner: QueryRunner, cause: unknown): Promise<void> {
  try {
    await runner.rollbackTransaction();
  } catch {
    throw failure(cause, true);
  }
}

async function abandon(runner: QueryRunner): Promise<void> {
  while (runner.isTransactionActive) {
    try {
      await runner.rollbackTransaction();
    } catch {
      // SQLite rolled back by itself; TypeORM's count of open savepoints must follow.
      Object.assign(runner, { isTransactionActive: false, transactionDepth: 0 });
    }
  }
}
