import { setTimeout } from 'node:timers/promises';
import type { Pool, QueryResult } from 'pg';
import { DataSource, QueryFailedError, type ObjectLiteral, type QueryRunner } from 'typeorm';
import { OutcomeUnknown, Overloaded, Problem } from '../../common/problem';
import type { PostgresConfig } from '../../config';
import { Engine, type StatementResult, type NumberedRow, type RunnerWork, type WriteOptions } from '../engine';
import { Transaction } from '../runners';
import type { Entities } from '../schema';
import type { Priority } from '../work';
import { Connections } from './connections';
import type { BorrowedConnection } from './borrowed-connection';
import { isCollision, isConflict, isDiskFull, isLost, postgresFailure } from './postgres-errors';
import { migratePostgres } from './migrate-postgres';
import { checkServer } from './check-server';
import { connectionConfig, postgresOptions, timeoutsOfTransaction, type ServerTraits } from './postgres.options';
import type { Statement } from './statements';
import { carriedOut, PostgresTransaction, runOn, type SendQuery } from './transaction';

/** One of several units in a transaction failed: nothing is stored, and each may be run by itself. */
class RolledBack extends Error {}

interface QueuedStatement {
  statement: Statement;
  done: (result: QueryResult) => void;
  failed: (reason: unknown) => void;
}

const FETCHED_AT_ONCE = 100;
const MAX_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 10;

const MAX_GROUP = 128;
const GROUPS_AT_ONCE = 2;
const CHANGES_ROWS = /^\s*(INSERT|UPDATE|DELETE|MERGE|WITH)\b/i;
/** A group that takes longer, since one of its units waits for a lock, does not keep the next one waiting. */
const GROUP_TURN_MS = 100;
/** A group does not wait longer for a lock that one of its units wants: the units are then run alone. */
const GROUP_LOCK_TIMEOUT = { sql: `SET LOCAL lock_timeout = '100ms'` };

/**
 * A unit is run again when it got in another's way or its connection was lost, but never once COMMIT was sent and no
 * answer came: it might be stored twice. Units of one statement that wait share a transaction (group commit).
 */
export class PostgresEngine extends Engine {
  private readonly connections: Connections;
  private readonly limit: number;
  /** Statements with which each transaction begins. */
  private readonly settings: Statement[];
  private readonly waiting: QueuedStatement[] = [];
  private pending = 0;
  private groups = 0;
  private units = 0;
  private commits = 0;

  private constructor(
    readonly dataSource: DataSource,
    private readonly config: PostgresConfig,
    traits: ServerTraits,
  ) {
    super();
    this.limit = config.poolSize + config.queueLimit;
    const { master } = dataSource.driver as unknown as { master: Pool }; // private: PostgresDriver.master
    this.connections = new Connections(master, config.poolSize, connectionConfig(config, config.url, traits));
    this.settings = traits.takesTimeouts ? [] : [timeoutsOfTransaction(config)];
  }

  /** Brings the schema up to date and opens the pool. Fails at once when it cannot. */
  static async open(config: PostgresConfig, entities: Entities): Promise<PostgresEngine> {
    const traits = await checkServer(config);
    await migratePostgres(config, entities);
    const dataSource = await new DataSource(postgresOptions(config, entities, traits)).initialize();
    return new PostgresEngine(dataSource, config, traits);
  }

  read<T>(work: RunnerWork<T>, priority: Exclude<Priority, 'urgent'> = 'usual'): Promise<T> {
    return this.counted(() => this.readOnPrimary(work, priority));
  }

  write<T>(work: RunnerWork<T>, { priority = 'usual', again = false }: WriteOptions): Promise<T> {
    this.units += 1;
    const attempt = (until: number) =>
      this.connections.use(priority, until, (connection) => this.transact(connection, work));
    return this.counted(() => (again ? this.retrying(attempt) : attempt(this.patience())));
  }

  carryOut(mode: 'master' | 'slave', sql: string, parameters: unknown[]): Promise<StatementResult> {
    const send: SendQuery = () => this.counted(() => this.alone(mode, { sql, parameters }));
    return carriedOut(send, sql, parameters).catch(unwrapped);
  }

  async insertNumbered({ table, taken, columns, values }: NumberedRow): Promise<number | undefined> {
    const names = columns.map((name) => `, "${name}"`).join('');
    const places = columns.map((_, n) => `, $${n + 1}`).join('');
    const sql = `INSERT INTO "${table}" ("id"${names}) SELECT "next"${places}
      FROM nextval('"${table}_id_seq"') AS "next"
      WHERE NOT EXISTS (SELECT 1 FROM "${taken}" AS "taken" WHERE "taken"."id" = "next") RETURNING "id"`;
    const { records } = await this.carryOut('master', sql, values);
    return records[0]?.[0] as number | undefined;
  }

  createRunner(mode: 'master' | 'slave'): QueryRunner {
    const runner = this.dataSource.driver.createQueryRunner(mode);
    const send = runner.query.bind(runner) as (...args: unknown[]) => Promise<unknown>;
    const query = (...args: unknown[]) => send(...args).catch(unwrapped);
    return Object.assign(runner, {
      // private: PostgresQueryRunner.databaseConnection
      databaseConnection: {
        query: (sql: string, parameters?: unknown[]) => this.counted(() => this.alone(mode, { sql, parameters })),
      },
      query,
    });
  }

  /** By a cursor, in a transaction of its own. */
  async *stream(sql: string, parameters?: unknown[]): AsyncGenerator<ObjectLiteral> {
    const transaction = await Transaction.begin((work) => this.write(work, { priority: 'bulk' }));
    const { runner } = transaction;
    try {
      await runner.query(`DECLARE "stream" NO SCROLL CURSOR FOR ${sql}`, parameters);
      for (;;) {
        const rows = (await runner.query(`FETCH ${FETCHED_AT_ONCE} FROM "stream"`)) as ObjectLiteral[];
        yield* rows;
        if (rows.length < FETCHED_AT_ONCE) {
          return;
        }
      }
    } catch (error) {
      throw postgresFailure(error);
    } finally {
      await transaction.rollBack();
    }
  }

  get metrics() {
    const waiting = Math.max(0, this.pending - this.config.poolSize);
    return { waiting, units: this.units, commits: this.commits };
  }

  async close(): Promise<void> {
    this.connections.stop();
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
      this.lacksRoom ||= isDiskFull(error);
      throw postgresFailure(error);
    } finally {
      this.pending -= 1;
    }
  }

  /** A statement that is no part of a unit. What does not change rows is carried out by itself, and once. */
  private async alone(mode: 'master' | 'slave', statement: Statement): Promise<QueryResult> {
    const send = (connection: BorrowedConnection) => connection.query(statement.sql, statement.parameters);
    if (mode === 'slave') {
      return this.retrying((until) => this.connections.use('read', until, send));
    }
    if (!CHANGES_ROWS.test(statement.sql)) {
      return this.connections.use('usual', this.patience(), send);
    }
    this.units += 1;
    return new Promise((done, failed) => {
      this.waiting.push({ statement, done, failed });
      // Those that come in the same turn of the event loop share a group.
      setImmediate(() => void this.drain());
    });
  }

  private readOnPrimary<T>(work: RunnerWork<T>, priority: Exclude<Priority, 'urgent'>): Promise<T> {
    return this.retrying((until) =>
      this.connections.use(priority === 'bulk' ? 'list' : 'read', until, (connection) =>
        runOn(this.dataSource, connection.query, work, false),
      ),
    );
  }

  /** `attempt` is told how long it may wait for a connection, as performance.now() counts. */
  private async retrying<T>(attempt: (until: number) => Promise<T>): Promise<T> {
    const end = this.patience();
    for (let attempts = 1; ; attempts++) {
      try {
        return await attempt(this.patience());
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

  /** Until when a connection may be waited for. */
  private patience(): number {
    return performance.now() + this.config.timeoutsMs.connect;
  }

  private async transact<T>(connection: BorrowedConnection, work: RunnerWork<T>): Promise<T> {
    const transaction = new PostgresTransaction(connection, this.settings);
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

  /** Runs units in one transaction; when one of them fails, each in a transaction of its own. */
  private async store(group: QueuedStatement[]): Promise<void> {
    try {
      const results = await this.retrying((until) =>
        this.connections.use('usual', until, (connection) => this.transactAll(connection, group)),
      );
      group.forEach(({ done }, n) => done(results[n]!));
    } catch (error) {
      if (error instanceof RolledBack) {
        await Promise.all(group.map((unit) => this.store([unit])));
      } else {
        group.forEach(({ failed }) => failed(error));
      }
    }
  }

  private async transactAll(connection: BorrowedConnection, group: QueuedStatement[]): Promise<QueryResult[]> {
    const isShared = group.length > 1;
    const transaction = new PostgresTransaction(
      connection,
      isShared ? [...this.settings, GROUP_LOCK_TIMEOUT] : this.settings,
    );
    try {
      const asked = group.map(({ statement: { sql, parameters } }) => transaction.query(sql, parameters));
      const results = await Promise.all(asked);
      this.commits += 1;
      await transaction.commit();
      return results;
    } catch (error) {
      await transaction.rollBack();
      throw isShared && !isLost(error) && !(error instanceof OutcomeUnknown) ? new RolledBack() : error;
    }
  }
}

/** TypeORM wraps what its connection throws. */
function unwrapped(error: QueryFailedError): never {
  throw error.driverError instanceof Problem ? error.driverError : postgresFailure(error);
}

/** Settles with `work`, or after `ms` where it takes longer. */
async function atMost(ms: number, work: Promise<void>): Promise<void> {
  const timer = new AbortController();
  await Promise.race([work, setTimeout(ms, undefined, { signal: timer.signal }).catch(() => undefined)]);
  timer.abort();
}
