import type { EntityManager } from 'typeorm';

/**
 * What is done with the database in one go. Await only the database in here: on SQLite every other write waits until
 * this function returns. It may be run again.
 */
export type Work<T> = (manager: EntityManager) => Promise<T>;

/**
 * No kind of work may crowd out the others. Units of many rows are `bulk`: on SQLite others pass them when they write,
 * on PostgreSQL they have a share of the connections. `urgent` is for the check of readiness: one connection is left
 * for it.
 */
export type Priority = 'urgent' | 'usual' | 'bulk';
