import type { DataSource } from 'typeorm';

/** Of a manager, a query, a runner or the metadata of an entity: all of TypeORM's that belong to a DataSource. */
export const isPostgres = ({ dataSource }: { dataSource: Pick<DataSource, 'options'> }): boolean =>
  dataSource.options.type === 'postgres';
