import type { OnApplicationShutdown } from '@nestjs/common';
import type { DataSource, QueryRunner } from 'typeorm';
import { AsyncContext } from '../common/async-context';
import { isPostgres } from './dialect';
import type { StatementResult, Engine, EngineRunner, NumberedRow, RunnerWork, WriteOptions } from './engine';
import { JoiningEntityManager } from './joining-entity-manager';
import { freeRunner, runnerWithin } from './runners';
import { askInTurn, askTogether, type Answers } from './round-trip';
import { Scope, type Unit } from './scope';
import { announced, announceEnd } from './transaction-events';
import type { Priority, Work } from './work';

/** A unit awaited something other than the database, which is a mistake in the program: its text says which unit. */
export class UnitStuck extends Error {
  constructor(work: (...args: never[]) => unknown, limitMs: number) {
    super(
      `A unit of work was given up after ${limitMs} ms, while other writes waited for it. ` +
        `Await only the database in it: ${work.toString().slice(0, 300)}`,
    );
  }
}

/**
 * Runs statements that belong together as one unit, alike on SQLite and on PostgreSQL. Whatever a unit calls belongs to
 * it, by whichever repository. When a unit within it fails, the whole fails, even where the error is caught.
 * All methods throw Overloaded when too much is waiting, Unavailable when the database cannot do its work for now, and
 * UnitStuck when the unit awaits something else and does not come to its end.
 */
export class UnitOfWork implements OnApplicationShutdown {
  private readonly context: AsyncContext<Scope>;

  /** `limitMs`: how long a unit may last. */
  constructor(
    private readonly engine: Engine,
    private readonly limitMs: number,
  ) {
    this.context = new AsyncContext(limitMs);
    const { dataSource } = engine;
    const manager = (runner?: QueryRunner) => new JoiningEntityManager(this, dataSource, runner);
    // private: DataSource.createQueryRunner, DataSource.createEntityManager, DataSource.manager
    dataSource.createQueryRunner = (mode = 'master') => this.createQueryRunner(mode);
    dataSource.createEntityManager = manager;
    Object.assign(dataSource, { manager: manager() });
  }

  /** TypeORM's, for whatever TypeORM can do. */
  get dataSource(): DataSource {
    return this.engine.dataSource;
  }

  /** The unit that is open here. */
  get scope(): Scope | undefined {
    const scope = this.context.value;
    if (scope?.unit.state === 'failed') {
      throw new Error('The unit that this belongs to has failed and was rolled back.');
    }
    return scope?.unit.state === 'open' ? scope : undefined;
  }

  /** Reads what is committed, nothing else; it cannot write. */
  async read<T>(work: Work<T>, priority?: Exclude<Priority, 'urgent'>): Promise<T> {
    const { scope } = this;
    return scope ? this.join(scope, work) : this.engine.read((runner) => this.run(work, runner, false), priority);
  }

  /**
   * Runs `work` as one transaction: all of it is stored when the promise fulfils, nothing when it rejects;
   * only OutcomeUnknown leaves open which.
   */
  async write<T>(work: Work<T>, priority?: Priority): Promise<T> {
    const { scope } = this;
    return scope ? this.joinWriting(scope, work) : this.begin(work, { priority, again: true });
  }

  /** As `write` where no unit is open, but never run again. */
  transact<T>(work: Work<T>): Promise<T> {
    return this.begin(work, {});
  }

  /**
   * Within a unit, where an answer is not needed to ask for the next: carries these out in their order. PostgreSQL is
   * sent all of them at once, in one round trip; SQLite knows none. The first one that fails ends them.
   */
  inOneRoundTrip<const T extends readonly (() => Promise<unknown>)[]>(parts: T): Promise<Answers<T>> {
    return isPostgres(this) ? askTogether(parts) : askInTurn(parts);
  }

  /** A statement that is a unit of its own. */
  carryOut(mode: 'master' | 'slave', sql: string, parameters: unknown[]): Promise<StatementResult> {
    return this.engine.carryOut(mode, sql, parameters);
  }

  /** As Engine has it. */
  get lacksRoom(): boolean {
    return this.engine.lacksRoom;
  }

  set lacksRoom(lacks: boolean) {
    this.engine.lacksRoom = lacks;
  }

  /** As Engine has it. */
  insertNumbered(row: NumberedRow): Promise<number | undefined> {
    return this.engine.insertNumbered(row);
  }

  /** How many units wait now, and so far: how many writing ones were run, and in how many transactions. */
  get metrics(): { waiting: number; units: number; commits: number } {
    return this.engine.metrics;
  }

  onApplicationShutdown(): Promise<void> {
    return this.engine.close();
  }

  private createQueryRunner(mode: 'master' | 'slave'): QueryRunner {
    const { scope } = this;
    return scope
      ? runnerWithin(this.dataSource, scope)
      : freeRunner(this.engine, mode, (work) =>
          this.engine.write((runner) => this.inTime(work, () => work(runner)), {}),
        );
  }

  private begin<T>(work: Work<T>, options: WriteOptions): Promise<T> {
    const data: object = {};
    const unit = this.engine.write((runner) => this.run(work, runner, true, data), options);
    return this.hasSubscribers
      ? announceEnd(unit, () => Object.assign(this.createQueryRunner('master'), { data }))
      : unit;
  }

  private get hasSubscribers(): boolean {
    return this.dataSource.subscribers.length > 0;
  }

  private async run<T>(work: Work<T>, runner: EngineRunner, writes: boolean, data: object = {}): Promise<T> {
    const unit: Unit = { runner, writes, data, state: 'open' };
    const scope = new Scope(this.context, unit);
    const within = runnerWithin(this.dataSource, scope);
    const carryOut = () => whole(unit, work(within.manager));
    try {
      const value = await this.inTime(work, () =>
        this.context.run(scope, writes && this.hasSubscribers ? () => announced(within, carryOut) : carryOut),
      );
      unit.state = 'done';
      return value;
    } catch (error) {
      unit.state = 'failed';
      throw error;
    }
  }

  private async inTime<T>(work: Work<T> | RunnerWork<T>, run: () => Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new UnitStuck(work, this.limitMs)), this.limitMs);
    });
    return Promise.race([run(), late]).finally(() => clearTimeout(timer));
  }

  private join<T>(scope: Scope, work: Work<T>): Promise<T> {
    return work(runnerWithin(this.dataSource, scope).manager);
  }

  private async joinWriting<T>(scope: Scope, work: Work<T>): Promise<T> {
    const { unit } = scope;
    if (!unit.writes) {
      throw new Error('A unit that reads cannot write: it may not be run on the primary, nor in a transaction.');
    }
    try {
      return await this.join(scope, work);
    } catch (reason) {
      unit.fault ??= { reason };
      throw reason;
    }
  }
}

async function whole<T>(unit: Unit, work: Promise<T>): Promise<T> {
  const value = await work;
  if (unit.fault) {
    throw unit.fault.reason;
  }
  return value;
}
