import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Problem, UNAVAILABLE } from '../common/problem';
import { Probe } from '../database';

const DATABASE_TIMEOUT_MS = 1_000;
/** Anyone may ask, so the database is asked once a second at most. */
const KEEP_MS = 1_000;

/** Whether this process should get requests: it is not ending, and its database answers in a second and stores. */
@Injectable()
export class Readiness {
  private readonly logger = new Logger(Readiness.name);
  private draining = false;
  private latest?: { at: number; fault: Promise<string | null> };

  constructor(private readonly database: Probe) {}

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
    const probe = this.database.isMigrated().then(
      (isMigrated) => (isMigrated ? null : 'The database is not migrated.'),
      (error: unknown) => {
        this.logger.error({ err: error });
        return 'The database does not store.';
      },
    );
    return Promise.race([probe, late]);
  }
}

const notReady = (reason: string) => new Problem(UNAVAILABLE, reason, { headers: { 'Retry-After': '1' } });
