import type { EntityManager } from 'typeorm';

export const isPostgres = ({ dataSource }: EntityManager): boolean => dataSource.options.type === 'postgres';
