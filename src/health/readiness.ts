import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Problem, UNAVAILABLE } from '../common/problem';
import { UnitOfWork } from '../database';

const DATABASE_TIMEOUT_MS = 1_000;
/** Anyone may ask, so an answer about the database stands for a second. */
const KEEP_MS = 1_000;

/** Whether this process should get requests: its database answers within a second, stores, is migrated, and no end is near. */
@Injectable()
export class Readiness {
  private readonly logger = new Logger(Readiness.name);
  private draining = false;
  private latest?: { at: number; fault: Promise<string | null> };

  constructor(private readonly database: UnitOfWork) {}

  /** From now on this process is not ready. */
  drain(): void {
    this.draining = true;
  }

  /** Throws a Problem (503) with the reason. */
  async check(): Promise<void> {
    if (this.draining) {
      throw notReady('The process is about to end.');
    }
    const now = performance.now();
    if (!this.latest || now - this.latest.at > KEEP_MS) {
      this.latest = { at: now, fault: this.databaseFault() };
    }
    const fault = await this.latest.fault;
    if (fault !== null) {
      throw notReady(fault);
    }
  }

  private databaseFault(): Promise<string | null> {
    const late = sleep(DATABASE_TIMEOUT_MS, 'The database does not answer in time.', { ref: false });
    const probe = this.probe().catch((error: unknown) => {
      this.logger.error({ err: error });
      return 'The database does not store.';
    });
    return Promise.race([probe, late]);
  }

  /** Stores something, though no change: a full disk or a read-only file system shows in nothing less. */
  private probe(): Promise<string | null> {
    return this.database.write(async (manager) => {
      await manager.query('UPDATE "migrations" SET "name" = "name"');
      const rows = await manager.query<{ name: string }[]>('SELECT "name" FROM "migrations"');
      const done = new Set(rows.map(({ name }) => name));
      const pending = manager.connection.migrations.some(({ name }) => !done.has(name!));
      return pending ? 'The database is not migrated.' : null;
    });
  }
}

const notReady = (reason: string) => new Problem(UNAVAILABLE, reason, { headers: { 'Retry-After': '1' } });
