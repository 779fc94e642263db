import type { EntityManager } from 'typeorm';

/**
 * What is done with the database in one go. It awaits nothing but the database, and what itself awaits nothing else:
 * on SQLite all writing units wait for it. It may be run again.
 */
export type Work<T> = (manager: EntityManager) => Promise<T>;

/**
 * No kind of work may crowd out the others. Units of many rows are `bulk`: on SQLite others pass them when they write,
 * on PostgreSQL they have a share of the connections. `urgent` is what tells whether the database works: one connection
 * is left for it.
 */
export type Priority = 'urgent' | 'usual' | 'bulk';
