import type { EntityManager } from 'typeorm';

export const isPostgres = ({ dataSource }: EntityManager): boolean => dataSource.options.type === 'postgres';

/**
 * The function that makes rows of the elements of a JSON array, in a column "value"; `"value" ->> n` is the nth member
 * of an element. So a statement with any number of rows has one text and one parameter.
 */
export const jsonElements = (manager: EntityManager): string =>
  isPostgres(manager) ? 'jsonb_array_elements' : 'json_each';
