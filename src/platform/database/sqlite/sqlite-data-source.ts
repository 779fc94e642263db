import { DataSource, type DataSourceOptions } from 'typeorm';
import type { SqliteConnection } from './driver';

/**
 * A DataSource on SQLite. What entities call int8 is `integer` there when SQLite is to generate the values, which it
 * does in no other type, and else `bigint`; what they call bigint is `integer`. All of them have 64 bits, but a primary
 * key that is called `integer` needs no index of its own. What they call bytea is `blob`.
 */
export function sqliteDataSource(options: DataSourceOptions): DataSource {
  const dataSource = new DataSource(options);
  const { driver } = dataSource;
  const normalizeType = driver.normalizeType.bind(driver);
  // private: Driver.normalizeType
  driver.normalizeType = (column: { type?: unknown; isGenerated?: boolean }) => {
    switch (column.type) {
      case 'int8':
        return column.isGenerated ? 'integer' : 'bigint';
      case 'bigint':
        return 'integer';
      case 'bytea':
        return 'blob';
      default:
        return normalizeType(column as never);
    }
  };
  return dataSource;
}

export const connectionOf = ({ driver }: DataSource): SqliteConnection =>
  // private: BetterSqlite3Driver.databaseConnection
  (driver as unknown as { databaseConnection: SqliteConnection }).databaseConnection;
