import { Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { PostgresConfig } from '../../config';
import { DatabaseUnusable } from '../database-unusable';
import { maintenanceDataSource } from '../maintenance';
import { isCurrent, migrate } from '../migrate';
import type { Entities } from '../schema';
import { isForbidden, isLockTimeout } from './postgres-errors';

/** Any number, the same in every process of this service. */
const LOCK = 7_387_246;

const LOCK_WAIT_S = 60;

/**
 * Brings the schema up to date. Of several processes that start at once one does it, the others wait for it. Where
 * there is nothing to do, nobody waits.
 */
export async function migratePostgres(config: PostgresConfig, entities: Entities): Promise<void> {
  const dataSource = await maintenanceDataSource(config, entities).initialize();
  try {
    if (await isCurrent(dataSource)) {
      return;
    }
    await dataSource.transaction('READ COMMITTED', async (manager) => {
      await lock(manager);
      await migrate(dataSource, manager.queryRunner);
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

async function lock(manager: EntityManager): Promise<void> {
  const [{ isMine }] = await manager.query<[{ isMine: boolean }]>(`SELECT pg_try_advisory_xact_lock($1) AS "isMine"`, [
    LOCK,
  ]);
  if (isMine) {
    return;
  }
  const holder = `Another session holds the lock of the migrations (pg_locks, locktype 'advisory', objid ${LOCK})`;
  new Logger('PostgreSQL').warn(`${holder}: the start waits for it, at most ${LOCK_WAIT_S} s.`);
  await manager.query(`SET LOCAL lock_timeout = '${LOCK_WAIT_S}s'`);
  try {
    await manager.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
  } catch (error) {
    throw isLockTimeout(error) ? new DatabaseUnusable(`${holder}, and did not let it go in ${LOCK_WAIT_S} s.`) : error;
  }
  await manager.query('SET LOCAL lock_timeout TO DEFAULT');
}
