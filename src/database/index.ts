export { backUpSqlite } from './sqlite/backup-sqlite';
export { jsonColumn } from './columns';
export { DatabaseModule } from './database.module';
export { DatabaseUnusable } from './database-unusable';
export { maintenanceOptions } from './maintenance';
export { migrate } from './migrate';
export { openDatabase } from './open-database';
export { Sqlite, type SqliteConnection } from './sqlite/driver';
export { UnitOfWork, type Work } from './unit-of-work';
