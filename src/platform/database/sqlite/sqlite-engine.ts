import { QueryFailedError, type DataSource, type ObjectLiteral, type QueryRunner } from 'typeorm';
import type { SqliteConfig } from '../../config';
import {
  Engine,
  type StatementResult,
  type CarryOut,
  type EngineRunner,
  type NumberedRow,
  type RunnerWork,
  type WriteOptions,
} from '../engine';
import { readExactly } from '../int64';
import { migrate } from '../migrate';
import { derived } from '../runners';
import type { Entities } from '../schema';
import { Sqlite, type SqliteStatement } from './driver';
import { GroupCommit } from './group-commit';
import { PreparedStatements } from './prepared-statements';
import { ServedFile } from './served-file';
import { connectionOf, sqliteDataSource } from './sqlite-data-source';
import { sqliteFailure } from './sqlite-errors';
import { readerOptions, writerOptions } from './sqlite.options';

/**
 * TypeORM's SQLite driver has a single connection, on which concurrent transactions would run into one another; so
 * writes take turns on one, in groups, and reads have another, which shows them nothing that is not committed.
 */
export class SqliteEngine extends Engine {
  private readonly writes: GroupCommit;
  private readonly reads: PreparedStatements;
  /** Of the connection that writes, and of the one that reads. */
  private readonly writing: QueryRunner;
  private readonly reading: EngineRunner;

  private constructor(
    private readonly config: SqliteConfig,
    private readonly file: ServedFile,
    readonly dataSource: DataSource,
    private readonly reader: DataSource,
  ) {
    super();
    this.writing = dataSource.driver.createQueryRunner('master');
    this.writes = new GroupCommit(dataSource, config.queueLimit, () => file.assertInPlace());
    this.reads = new PreparedStatements(connectionOf(reader));
    const carryOut: CarryOut = (sql, parameters) => Promise.resolve(this.reads.carryOut(sql, parameters));
    const base = reader.driver.createQueryRunner('master');
    this.reading = { base, query: base.query.bind(base), carryOut };
  }

  /** Opens the database, makes the file where there is none, and migrates it. Fails at once when it cannot. While it is
   * open, writes fail with Unavailable when the file is removed or replaced. */
  static async open(config: SqliteConfig, entities: Entities): Promise<SqliteEngine> {
    const file = ServedFile.take(config.file);
    const writer = sqliteDataSource(writerOptions(config, entities));
    try {
      await writer.initialize();
      await migrate(writer);
      const reader = await sqliteDataSource(readerOptions(config, [])).initialize();
      return new SqliteEngine(config, file, writer, reader);
    } catch (error) {
      if (writer.isInitialized) {
        await writer.destroy();
      }
      file.release();
      throw error;
    }
  }

  async read<T>(work: RunnerWork<T>): Promise<T> {
    try {
      return await work(this.reading);
    } catch (error) {
      throw sqliteFailure(error);
    }
  }

  write<T>(work: RunnerWork<T>, { priority = 'usual' }: WriteOptions): Promise<T> {
    return this.writes.write(work, priority);
  }

  carryOut(mode: 'master' | 'slave', sql: string, parameters: unknown[]): Promise<StatementResult> {
    return mode === 'slave'
      ? this.read(({ carryOut }) => carryOut(sql, parameters))
      : this.writes.writeOne((statements) => statements.carryOut(sql, parameters));
  }

  /** No savepoint: where the second statement stores nothing, a number is lost, and that may be. */
  insertNumbered({ table, taken, columns, values }: NumberedRow): Promise<number | undefined> {
    const names = columns.map((name) => `, "${name}"`).join('');
    const insert = `INSERT INTO "${table}" ("id"${names}) SELECT "last"${', ?'.repeat(columns.length)} FROM "${table}_numbering"
      WHERE NOT EXISTS (SELECT 1 FROM "${taken}" AS "taken" WHERE "taken"."id" = "last") RETURNING "id"`;
    return this.writes.writeOne((statements) => {
      statements.carryOut(`UPDATE "${table}_numbering" SET "last" = "last" + 1`, []);
      return statements.carryOut(insert, values).records[0]?.[0] as number | undefined;
    });
  }

  createRunner(): QueryRunner {
    const query = async (sql: string, parameters?: unknown[], structured?: boolean) =>
      (await this.isReading(sql))
        ? this.read((runner) => runner.query(sql, parameters, structured))
        : this.writes.writeOne(() => this.writing.query(sql, parameters, structured as true));
    return derived(this.dataSource, this.writing, { query });
  }

  /** By a connection of its own: what reads beside it must not stay at the moment when it began. */
  async *stream(sql: string, parameters: unknown[] = []): AsyncGenerator<ObjectLiteral> {
    await Promise.resolve();
    const connection = new Sqlite(this.config.file, { readonly: true, fileMustExist: true });
    try {
      readExactly(connection);
      yield* connection.prepare(sql).iterate(...parameters);
    } catch (error) {
      throw sqliteFailure(new QueryFailedError(sql, undefined, error as Error));
    } finally {
      connection.close();
    }
  }

  get metrics() {
    return this.writes.metrics;
  }

  async close(): Promise<void> {
    await this.reader.destroy();
    await this.dataSource.destroy();
    this.file.release();
  }

  /** As SQLite knows it. What is no SQL at all fails where it is carried out. */
  private async isReading(sql: string): Promise<boolean> {
    // private: BetterSqlite3QueryRunner.getStmt
    const { getStmt } = this.reading.base as unknown as { getStmt: (sql: string) => Promise<SqliteStatement> };
    try {
      return (await getStmt.call(this.reading.base, sql)).readonly;
    } catch {
      return false;
    }
  }
}
