import type { PostgresConfig } from '../../config';
import { DatabaseUnusable } from '../database-unusable';
import { maintenanceDataSource } from '../maintenance';
import { migrate } from '../migrate';
import type { Entities } from '../schema';
import { isForbidden } from './postgres-errors';

/** Any number, the same in every process of this service. */
const LOCK = 7_387_246;

/** Brings the schema up to date. Of several processes that start at once one does it, the others wait for it. */
export async function migratePostgres(config: PostgresConfig, entities: Entities): Promise<void> {
  const dataSource = await maintenanceDataSource(config, entities).initialize();
  try {
    await dataSource.transaction('READ COMMITTED', async ({ queryRunner }) => {
      await queryRunner!.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
      await migrate(dataSource, queryRunner);
    });
  } catch (error) {
    throw isForbidden(error)
      ? new DatabaseUnusable(
          'The schema is not up to date, and this role may not change it: run "migrate" as its owner.',
        )
      : error;
  } finally {
    await dataSource.destroy();
  }
}
