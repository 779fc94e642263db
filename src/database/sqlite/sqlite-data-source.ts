import { DataSource, type DataSourceOptions } from 'typeorm';

/**
 * A DataSource on SQLite. What entities call int8 is `integer` there when SQLite is to generate the values, which it
 * does in no other type, and else `bigint`; both have 64 bits.
 */
export function sqliteDataSource(options: DataSourceOptions): DataSource {
  const dataSource = new DataSource(options);
  const { driver } = dataSource;
  const normalizeType = driver.normalizeType.bind(driver);
  driver.normalizeType = (column: { type?: unknown; isGenerated?: boolean }) =>
    column.type === 'int8' ? (column.isGenerated ? 'integer' : 'bigint') : normalizeType(column as never);
  return dataSource;
}
