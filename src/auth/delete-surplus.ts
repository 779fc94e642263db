import type { FindOptionsOrder, FindOptionsWhere, Repository } from 'typeorm';

interface OfToken {
  tokenHash: string;
}

/** Deletes of the rows `where` all but the first `kept` in this order, in one statement. */
export async function deleteSurplus<T extends OfToken>(
  repository: Repository<T>,
  where: FindOptionsWhere<T>,
  order: FindOptionsOrder<T>,
  kept: number,
): Promise<void> {
  const surplus = repository
    .createQueryBuilder('row')
    .select('row.tokenHash')
    .setFindOptions({ where, order })
    .offset(kept);
  await repository
    .createQueryBuilder()
    .delete()
    .where(`"token_hash" IN (${surplus.getQuery()})`, surplus.getParameters())
    .execute();
}
