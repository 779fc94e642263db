import { Readable } from 'node:stream';
import type { DataSource, QueryRunner } from 'typeorm';
import type { StatementResult, Engine, EngineRunner, RunnerWork } from './engine';
import type { Scope } from './scope';

/** What begins or ends a transaction; TypeORM's own savepoints do not. */
const CONTROL =
  /^\s*(BEGIN|START\s+TRANSACTION|COMMIT|END|ABORT|PREPARE\s+TRANSACTION|ROLLBACK(?!\s+((WORK|TRANSACTION)\s+)?TO))\b/i;
/** The statements by which TypeORM's own runners begin and end a transaction. */
const CONTROL_BY_TYPEORM: Record<string, 'commit' | 'rollBack' | null> = {
  'BEGIN TRANSACTION': null,
  'START TRANSACTION': null,
  COMMIT: 'commit',
  ROLLBACK: 'rollBack',
};
const SAVEPOINT = /^\s*(SAVEPOINT|RELEASE|ROLLBACK)\b/i;
const WRITING = /^\s*(INSERT|UPDATE|DELETE|MERGE|CREATE|ALTER|DROP|TRUNCATE|BEGIN|START)\b/i;

/** A transaction that begins and ends by calls, as that of a QueryRunner or of a stream. */
export class Transaction {
  private constructor(
    readonly runner: EngineRunner,
    private readonly end: () => void,
    private readonly fail: (reason: unknown) => void,
    private readonly done: Promise<void>,
  ) {}

  /** `write` runs the unit whose work lasts until commit or rollBack. Fulfils when it has begun. */
  static begin(write: (work: RunnerWork<void>) => Promise<void>): Promise<Transaction> {
    return new Promise((begun, failed) => {
      const done = write((runner) => new Promise<void>((end, fail) => begun(new Transaction(runner, end, fail, done))));
      done.catch(failed);
    });
  }

  async commit(): Promise<void> {
    this.end();
    await this.done;
  }

  async rollBack(): Promise<void> {
    const rolledBack = new Error('It is rolled back, as it was asked to be.');
    this.fail(rolledBack);
    await this.done.catch((error: unknown) => {
      if (error !== rolledBack) {
        throw error;
      }
    });
  }
}

/**
 * What createQueryRunner answers where no unit is open: TypeORM's own runner for its database, but for how a
 * transaction begins and ends, and that a statement outside one is a unit of its own.
 */
export function freeRunner(
  engine: Engine,
  mode: 'master' | 'slave',
  write: (work: RunnerWork<void>) => Promise<void>,
): QueryRunner {
  const alone = engine.createRunner(mode);
  let transaction: Transaction | undefined;
  const end = async (how: 'commit' | 'rollBack') => {
    const ended = transaction;
    transaction = undefined;
    await ended?.[how]();
  };
  const query: RunQuery = async (sql, parameters, structured) => {
    if (runner.isTransactionActive && sql in CONTROL_BY_TYPEORM) {
      const how = CONTROL_BY_TYPEORM[sql];
      return how ? end(how) : void (transaction = await Transaction.begin(write));
    }
    refuseControl(sql);
    if (!transaction && SAVEPOINT.test(sql)) {
      throw new Error(`There is no transaction for ${sql.trim()}.`);
    }
    return (transaction?.runner ?? alone).query(sql, parameters, structured);
  };
  const stream: Stream = async (sql, parameters, onEnd, onError) => {
    const rows = transaction
      ? ((await transaction.runner.query(sql, parameters)) as object[])
      : engine.stream(sql, parameters);
    return readable(rows, onEnd, onError);
  };
  const release = async () => {
    await end('rollBack');
    await alone.release();
  };
  const runner = derived(engine.dataSource, alone, { query, stream, release });
  return runner;
}

/**
 * What createQueryRunner answers where one is open: everything belongs to it, and nested transactions are savepoints.
 */
export function runnerWithin(dataSource: DataSource, scope: Scope): QueryRunner {
  const { runner } = scope.unit;
  const query: RunQuery = async (sql, parameters, structured) => {
    refuseWriting(scope, sql);
    refuseControl(sql);
    if (scope.isBusy) {
      await scope.untilFree();
    }
    return runner.query(sql, parameters, structured);
  };
  const stream: Stream = async (sql, parameters, onEnd, onError) =>
    readable((await query(sql, parameters)) as object[], onEnd, onError);
  return derived(dataSource, runner.base, {
    query,
    stream,
    release: () => Promise.resolve(),
    scope,
    data: scope.unit.data,
  });
}

/** As the runner of `runnerWithin` does it, for a statement that is kept prepared. */
export async function carryOutWithin(scope: Scope, sql: string, parameters: unknown[]): Promise<StatementResult> {
  refuseWriting(scope, sql);
  if (scope.isBusy) {
    await scope.untilFree();
  }
  return scope.unit.runner.carryOut(sql, parameters);
}

/** The scope of a runner that `runnerWithin` has made. */
export const scopeOf = (runner: QueryRunner): Scope | undefined =>
  'scope' in runner ? (runner.scope as Scope) : undefined;

type RunQuery = (sql: string, parameters?: unknown[], structured?: boolean) => Promise<unknown>;
type Stream = (sql: string, parameters?: unknown[], onEnd?: () => void, onError?: () => void) => Promise<Readable>;

/** A runner of the same kind with a state, a manager and a broadcaster of its own. */
export function derived<M extends object>(dataSource: DataSource, runner: QueryRunner, members: M): QueryRunner & M {
  // private: QueryRunner.broadcaster, QueryRunner.manager
  const made = Object.assign(Object.create(runner) as QueryRunner, { dataSource, data: {} }, members);
  const Broadcaster = runner.broadcaster.constructor as new (of: QueryRunner) => QueryRunner['broadcaster'];
  Object.assign(made, { broadcaster: new Broadcaster(made) });
  dataSource.createEntityManager(made); // becomes its manager
  return made;
}

function refuseWriting({ unit }: Scope, sql: string): void {
  if (!unit.writes && WRITING.test(sql)) {
    throw new Error('A unit that reads cannot write: it may not be run on the primary, nor in a transaction.');
  }
}

function refuseControl(sql: string): void {
  if (CONTROL.test(sql)) {
    throw new Error(
      `A transaction begins and ends by dataSource.transaction, UnitOfWork.write or a QueryRunner, not by ${sql.trim()}.`,
    );
  }
}

function readable(rows: Iterable<object> | AsyncIterable<object>, onEnd?: () => void, onError?: () => void): Readable {
  const stream = Readable.from(rows);
  return stream.on('end', () => onEnd?.()).on('error', () => onError?.());
}
