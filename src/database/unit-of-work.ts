import type { OnApplicationShutdown } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { BoundStatement } from './statement';

/**
 * What is done with the database in one go. It awaits nothing but its manager, and what itself awaits nothing else:
 * on SQLite all writing units wait for it. It may be run again.
 * Statements that a writing one asks for at once, by Promise.all, are carried out in that order; on PostgreSQL they are
 * one round trip.
 */
export type Work<T> = (manager: EntityManager) => Promise<T>;

/**
 * No kind of work may crowd out the others. Units of many rows are `bulk`: on SQLite others pass them when they write, on
 * PostgreSQL they have a share of the connections. `urgent` is what tells whether the database works: one connection is
 * left for it.
 */
export type Lane = 'urgent' | 'usual' | 'bulk';

/**
 * The one way to the database, alike on SQLite and on PostgreSQL.
 * Units join: what reads or writes while a writing unit is open, in it or in what it calls, does so in its transaction.
 * When a unit that joined fails, the whole fails, even where its error is caught. A unit that reads cannot write.
 * All methods throw Overloaded when too much is waiting, and Unavailable when the database cannot do its work for now;
 * UnitStuck when the unit awaits something else and does not come to its end.
 */
export abstract class UnitOfWork implements OnApplicationShutdown {
  /** Reads what is committed, nothing else. */
  abstract read<T>(work: Work<T>, lane?: Exclude<Lane, 'urgent'>): Promise<T>;

  /**
   * Reads what was committed a while ago, from a read replica where there is one.
   * Only for answers that are checked again before anything hangs on them; never for sessions or failed log-ins.
   */
  abstract readLagging<T>(work: Work<T>): Promise<T>;

  /**
   * Runs `work` as one transaction: all of it is stored when the promise fulfils, nothing when it rejects;
   * only OutcomeUnknown leaves open which.
   */
  abstract write<T>(work: Work<T>, lane?: Lane): Promise<T>;

  /** As `read`, for one statement, in which no unit can begin: that costs much less. Answers its rows. */
  readOne<Row>(statement: BoundStatement<Row>, lane?: Exclude<Lane, 'urgent'>): Promise<Row[]> {
    return this.read((manager) => statement.rows(manager), lane);
  }

  /** The same for `write`. Those that wait share a transaction, on PostgreSQL too. */
  abstract writeOne<Row>(statement: BoundStatement<Row>): Promise<Row[]>;

  /** How many units wait now, and so far: how many writing ones were run, and in how many transactions. */
  abstract get metrics(): { waiting: number; units: number; commits: number };

  abstract onApplicationShutdown(): Promise<void>;
}
