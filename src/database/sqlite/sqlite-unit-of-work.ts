import { Injectable } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { SqliteConfig } from '../../config';
import { migrate } from '../migrate';
import type { Entities } from '../schema';
import type { BoundStatement } from '../statement';
import { UnitOfWork, type Lane, type Work } from '../unit-of-work';
import type { SqliteConnection } from './driver';
import { GroupCommit } from './group-commit';
import { PreparedStatements } from './prepared-statements';
import { ServedFile } from './served-file';
import { sqliteDataSource } from './sqlite-data-source';
import { sqliteFailure } from './sqlite-errors';
import { readerOptions, writerOptions } from './sqlite.options';

/**
 * TypeORM's SQLite driver has a single connection, on which concurrent transactions would run into one another; so
 * writes take turns on one, in groups, and reads have another, which shows them nothing that is not committed.
 */
@Injectable()
export class SqliteUnitOfWork extends UnitOfWork {
  private readonly writes: GroupCommit;
  private readonly reads: PreparedStatements;

  private constructor(
    private readonly file: ServedFile,
    private readonly writer: DataSource,
    private readonly reader: DataSource,
    queueLimit: number,
  ) {
    super();
    this.writes = new GroupCommit(writer, queueLimit, () => file.assertInPlace());
    const { databaseConnection } = reader.driver as unknown as { databaseConnection: SqliteConnection };
    this.reads = new PreparedStatements(databaseConnection);
  }

  /** Opens the database, makes the file where there is none, and migrates it. Fails at once when it cannot. While it is
   * open, writes fail with Unavailable when the file is removed or replaced. */
  static async open(config: SqliteConfig, entities: Entities): Promise<SqliteUnitOfWork> {
    const file = ServedFile.take(config.file);
    const writer = sqliteDataSource(writerOptions(config, entities));
    try {
      await writer.initialize();
      await migrate(writer);
      const reader = await sqliteDataSource(readerOptions(config, entities)).initialize();
      return new SqliteUnitOfWork(file, writer, reader, config.queueLimit);
    } catch (error) {
      if (writer.isInitialized) {
        await writer.destroy();
      }
      file.release();
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

  override readOne<Row>(statement: BoundStatement<Row>): Promise<Row[]> {
    return this.read(() => Promise.resolve(this.reads.rows(statement)));
  }

  write<T>(work: Work<T>, lane: Lane = 'usual'): Promise<T> {
    return this.writes.write(work, lane);
  }

  writeOne<Row>(statement: BoundStatement<Row>): Promise<Row[]> {
    return this.writes.write(statement, 'usual');
  }

  get metrics() {
    return this.writes.metrics;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.reader.destroy();
    await this.writer.destroy();
    this.file.release();
  }
}
