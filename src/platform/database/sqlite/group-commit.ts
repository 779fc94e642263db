import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { DataSource, QueryRunner } from 'typeorm';
import { Overloaded } from '../../common/problem';
import type { RunnerWork } from '../engine';
import { failure } from '../failure';
import { derived } from '../runners';
import type { Priority } from '../work';
import { PreparedStatements } from './prepared-statements';
import { connectionOf } from './sqlite-data-source';
import { isBusy, sqliteFailure } from './sqlite-errors';
import { SqliteTransaction } from './transaction';
import { UnitRunner } from './unit-runner';

/** What is whole by itself, as a single statement is: it needs no savepoint. */
type Single<T> = (statements: PreparedStatements) => T | Promise<T>;

interface QueuedWrite {
  /** Answers what is told once it is stored. Throws what the group fails by, nothing else. */
  run: () => Promise<() => void> | (() => void);
  failed: Failed;
}

type Done<T> = (value: T) => void;
type Failed = (reason: unknown) => void;

/** Most units of one COMMIT, and milliseconds after which no more are begun: all are answered only after the COMMIT. */
const MAX_GROUP = 256;
const GROUP_MS = 20;

/** Milliseconds to wait for another process that writes the file, and between two tries. */
const LOCK_WAIT_MS = 500;
const LOCK_RETRY_MS = 10;

/**
 * Runs writing units one after the other; those that wait share one COMMIT. Each fails alone, since it is a savepoint
 * or a single statement, and is answered after the COMMIT. Units of the bulk priority have groups of their own, between
 * which the others get a turn.
 */
export class GroupCommit {
  private readonly usual: QueuedWrite[] = [];
  private readonly bulk: QueuedWrite[] = [];
  private readonly transaction: SqliteTransaction;
  private readonly statements: PreparedStatements;
  private readonly runner: QueryRunner;
  private isDraining = false;
  private bulkIsNext = false;
  private units = 0;
  private commits = 0;

  constructor(
    writer: DataSource,
    private readonly queueLimit: number,
    /** Throws when nothing may be stored. */
    private readonly assertInPlace: () => void,
  ) {
    const connection = connectionOf(writer);
    this.transaction = new SqliteTransaction(connection);
    this.statements = new PreparedStatements(connection);
    // The group has begun the transaction: one that a unit begins by itself is a savepoint.
    // private: QueryRunner.isTransactionActive, QueryRunner.transactionDepth
    const state = { isTransactionActive: true, transactionDepth: 1 };
    this.runner = derived(writer, writer.driver.createQueryRunner('master'), state);
  }

  get metrics() {
    return { waiting: this.waiting, units: this.units, commits: this.commits };
  }

  write<T>(work: RunnerWork<T>, priority: Priority): Promise<T> {
    return this.enqueue(priority, (done, failed) => () => this.runWork(work, done, failed));
  }

  writeOne<T>(single: Single<T>): Promise<T> {
    return this.enqueue('usual', (done, failed) => () => this.runSingle(single, done, failed));
  }

  private enqueue<T>(priority: Priority, runOf: (done: Done<T>, failed: Failed) => QueuedWrite['run']): Promise<T> {
    if (this.waiting >= this.queueLimit) {
      return Promise.reject(new Overloaded());
    }
    return new Promise<T>((resolve, failed) => {
      (priority === 'bulk' ? this.bulk : this.usual).push({ run: runOf(resolve, failed), failed });
      if (!this.isDraining) {
        void this.drain();
      }
    });
  }

  private get waiting(): number {
    return this.usual.length + this.bulk.length;
  }

  private async drain(): Promise<void> {
    this.isDraining = true;
    while (this.waiting > 0) {
      // A COMMIT keeps the event loop busy until the disk has it: first hear the requests that have come meanwhile,
      // so that they share the next one. Without this, every group is a group of one.
      await nextTurn();
      try {
        await this.begin();
        await this.runGroup();
      } catch (error) {
        const everyone = [...this.usual.splice(0), ...this.bulk.splice(0)];
        everyone.forEach(({ failed }) => failed(sqliteFailure(error)));
      }
    }
    this.isDraining = false;
  }

  /** All that wait do so together, and not on the event loop. */
  private async begin(): Promise<void> {
    this.assertInPlace();
    const end = performance.now() + LOCK_WAIT_MS;
    for (;;) {
      try {
        return this.transaction.begin();
      } catch (error) {
        if (!isBusy(error) || performance.now() > end) {
          throw error;
        }
        await sleep(LOCK_RETRY_MS);
      }
    }
  }

  private async runGroup(): Promise<void> {
    const group: QueuedWrite[] = [];
    const answers: (() => void)[] = [];
    try {
      for (const unit of this.nextUnits()) {
        group.push(unit);
        const answer = unit.run();
        answers.push(answer instanceof Promise ? await answer : answer);
      }
      this.units += group.length;
      this.commits += 1;
      this.transaction.commit();
    } catch (error) {
      this.transaction.rollBack();
      group.forEach(({ failed }) => failed(sqliteFailure(error)));
      return;
    }
    answers.forEach((answer) => answer());
  }

  private *nextUnits(): Generator<QueuedWrite> {
    const isBulk = this.usual.length === 0 || (this.bulkIsNext && this.bulk.length > 0);
    this.bulkIsNext = !isBulk;
    const queue = isBulk ? this.bulk : this.usual;
    const end = performance.now() + GROUP_MS;
    for (let n = 0; n < MAX_GROUP && queue.length > 0 && performance.now() < end; n++) {
      yield queue.shift()!;
    }
  }

  private runSingle<T>(single: Single<T>, done: Done<T>, failed: Failed): ReturnType<QueuedWrite['run']> {
    const failing = (error: unknown) => {
      if (!this.transaction.isOpen) {
        throw failure(error, true);
      }
      return () => failed(sqliteFailure(error));
    };
    try {
      const value = single(this.statements);
      return value instanceof Promise ? value.then((late) => () => done(late), failing) : () => done(value);
    } catch (error) {
      return failing(error);
    }
  }

  private async runWork<T>(work: RunnerWork<T>, done: Done<T>, failed: Failed): Promise<() => void> {
    this.transaction.beginUnit();
    const unit = new UnitRunner(this.runner, this.statements);
    try {
      const value = await work(unit);
      unit.end();
      this.transaction.commitUnit();
      return () => done(value);
    } catch (error) {
      unit.end();
      this.rollBackUnit(error);
      return () => failed(sqliteFailure(error));
    }
  }

  /** Where SQLite has already rolled back everything, as it does on a full disk, the whole group fails. */
  private rollBackUnit(cause: unknown): void {
    try {
      this.transaction.rollBackUnit();
    } catch {
      throw failure(cause, true);
    }
  }
}
