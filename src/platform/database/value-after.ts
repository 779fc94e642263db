import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { isPostgres } from './dialect';

/**
 * Restricts a query to rows that have a value, after an id and in order of ids, by the index on both columns. Told only
 * that the value is equal, the databases may walk through all rows by id until they have met enough.
 * The parameters are `:after` and the one that is named.
 */
export function valueAfter<T extends ObjectLiteral>(
  query: SelectQueryBuilder<T>,
  { value, id, parameter }: { value: string; id: string; parameter: string },
): SelectQueryBuilder<T> {
  return isPostgres(query)
    ? query
        .where(`(${value}, ${id}) > (:${parameter}, :after) AND ${value} <= :${parameter}`)
        .orderBy(value)
        .addOrderBy(id)
    : query.where(`unlikely(${value} = :${parameter}) AND ${id} > :after`).orderBy(id);
}
