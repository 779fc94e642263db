import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../common/clock';
import { isMigrated } from './migrate';
import { UnitOfWork } from './unit-of-work';

/**
 * Milliseconds after which the row of a process that asks no more is deleted: few processes start in that time.
 */
const KEPT_MS = 60 * 60_000;

const ROWS_OF_A_MEGABYTE = 10_000;

/** Checks whether the database can do its work. */
@Injectable()
export class Probe {
  /** A row of its own, so that no process waits for another one's. */
  private readonly process = randomUUID();
  private isKnown = false;

  constructor(
    private readonly database: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** Whether every migration has been run. Throws when the database does not store. */
  isMigrated(): Promise<boolean> {
    return this.database.write(async (manager) => {
      const isReady = await isMigrated(manager);
      if (isReady) {
        await this.store(manager);
      }
      return isReady;
    }, 'urgent');
  }

  /** Something new each time: an UPDATE that changes nothing writes nothing, and would succeed on a full disk. */
  private async store(manager: EntityManager): Promise<void> {
    const now = this.clock.now();
    await manager.sql`
      INSERT INTO "probe" ("process", "at") VALUES (${this.process}, ${now})
      ON CONFLICT ("process") DO UPDATE SET "at" = excluded."at"`;
    if (this.database.lacksRoom) {
      await this.findRoom(manager, now);
    }
    if (!this.isKnown) {
      await manager.sql`DELETE FROM "probe" WHERE "at" NOT BETWEEN ${now - KEPT_MS} AND ${now + KEPT_MS}`;
      this.isKnown = true;
    }
  }

  /** On PostgreSQL the one row finds room in a page of the table where others find none: here the table has to grow. */
  private async findRoom(manager: EntityManager, now: number): Promise<void> {
    const rows = `${this.process} `;
    await manager.sql`
      INSERT INTO "probe" ("process", "at") SELECT ${rows} || "n", ${now} FROM generate_series(1, ${ROWS_OF_A_MEGABYTE}) AS "n"`;
    await manager.sql`DELETE FROM "probe" WHERE "process" LIKE ${`${rows}%`}`;
    this.database.lacksRoom = false;
  }
}
