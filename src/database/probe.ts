import { Injectable } from '@nestjs/common';
import { UnitOfWork } from './unit-of-work';

/** Looks whether the database can do its work. */
@Injectable()
export class Probe {
  constructor(private readonly database: UnitOfWork) {}

  /** Whether every migration has been run. Throws when the database does not store. */
  isMigrated(): Promise<boolean> {
    // Stores something, though no change: a full disk or a read-only file system shows in nothing less.
    return this.database.write(async (manager) => {
      await manager.query('UPDATE "migrations" SET "name" = "name"');
      const rows = await manager.query<{ name: string }[]>('SELECT "name" FROM "migrations"');
      const done = new Set(rows.map(({ name }) => name));
      return manager.connection.migrations.every(({ name }) => done.has(name!));
    }, 'urgent');
  }
}
