import type { Config } from '../config';
import { DatabaseUnusable } from './database-unusable';
import { maintenanceDataSource } from './maintenance';
import { isCurrent } from './migrate';
import type { Entities } from './schema';
import { readerOptions } from './sqlite/sqlite.options';
import { sqliteDataSource } from './sqlite/sqlite-data-source';
import type { UnitOfWork } from './unit-of-work';

/** Only reads. */
export type Reader = Pick<UnitOfWork, 'read' | 'onApplicationShutdown'>;

/**
 * Opens the database to read, also beside a running service: it keeps nobody out and changes nothing, the schema
 * neither. Throws DatabaseUnusable, also where the schema is not the one of this program.
 */
export async function openReader({ database }: Pick<Config, 'database'>, entities: Entities): Promise<Reader> {
  try {
    const dataSource =
      database.type === 'sqlite'
        ? sqliteDataSource(readerOptions(database, entities))
        : maintenanceDataSource(database, entities);
    await dataSource.initialize();
    if (database.type === 'postgres') {
      await dataSource.query('SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY');
    }
    if (!(await isCurrent(dataSource))) {
      throw new DatabaseUnusable('The database has another schema than this program. Run its command migrate first.');
    }
    return { read: (work) => work(dataSource.manager), onApplicationShutdown: () => dataSource.destroy() };
  } catch (cause) {
    throw cause instanceof DatabaseUnusable ? cause : DatabaseUnusable.because(cause);
  }
}
