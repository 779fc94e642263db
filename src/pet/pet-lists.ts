import { In, type EntityManager, type EntityTarget, type SelectQueryBuilder } from 'typeorm';
import { valueAfter, type UnitOfWork } from '../platform/database';
import type { Found, Page } from '../platform/http';
import { petV2View, petView, V1_MEMBERS, type PetV2View, type PetView } from './dto/pet.view';
import { Pet, PetTag } from './pet.entity';

/*
 * Pages of pets, in order of the id and after one (keyset): first which they are and how large, then as many of them as
 * fit. An index holds them in this order, so that nothing is sorted or passed over, however many there are.
 */

type Reads = Pick<UnitOfWork, 'read'>;
type Query = SelectQueryBuilder<Pet>;
type Choose = (pets: Query) => Query;

/**
 * Owners are thought to have few pets, and a breed fewer than a species: the first one that is asked for is the index.
 */
const FILTERS = ['ownerId', 'breed', 'species'] as const;
export type PetFilter = Partial<Record<(typeof FILTERS)[number], string | null>>;

/** Whoever they are. */
export const listAll = (database: Reads, page: Page): Promise<Found<Pet>> =>
  find(database, inOrder(page), { viewOf: (pet) => pet });

/** Those that have all of the members, as v1 knows them. */
export function listWith(database: Reads, filter: PetFilter, page: Page): Promise<Found<PetView>> {
  const given = FILTERS.filter((member) => filter[member] != null);
  const [first, ...others] = given;
  const choose: Choose = (pets) => {
    const chosen = first
      ? valueAfter(pets, { value: `pet.${first}`, id: 'pet.id', parameter: first }).limit(page.limit)
      : inOrder(page)(pets);
    others.forEach((member) => chosen.andWhere(`pet.${member} = :${member}`));
    return chosen.setParameters({ ...filter, after: BigInt(page.after) });
  };
  const belongs = (pet: Pet) => given.every((member) => pet[member] === filter[member]);
  return find(database, choose, { members: V1_MEMBERS, belongs, viewOf: petView });
}

/** Those that have any of the statuses. */
export const listByStatus = (database: Reads, statuses: string[], page: Page): Promise<Found<PetV2View>> =>
  find(database, havingAny(statuses, page, { of: Pet, value: 'one.status', id: 'one.id' }), {
    belongs: ({ status }) => statuses.includes(status!),
    viewOf: petV2View,
  });

/** Those that have a tag of any of the names, each once. */
export const listByTag = (database: Reads, names: string[], page: Page): Promise<Found<PetV2View>> =>
  find(database, havingAny(names, page, { of: PetTag, value: 'one.name', id: 'one.petId' }), {
    belongs: ({ tags }) => !!tags?.some(({ name }) => names.includes(name!)),
    viewOf: petV2View,
  });

interface As<T> {
  /** What is read; everything, if nothing is said. */
  members?: readonly (keyof Pet)[];
  /** Whether a pet still matches: it may have changed since its id was found. */
  belongs?: (pet: Pet) => boolean;
  viewOf: (pet: Pet) => T;
}

async function find<T>(database: Reads, choose: Choose, { members, belongs, viewOf }: As<T>): Promise<Found<T>> {
  const select = members && Object.fromEntries(members.map((member) => [member, true]));
  return {
    rows: await database.read((manager) => choose(sizes(manager, members)).getRawMany(), 'bulk'),
    read: async (ids) => {
      const options = { select, where: { id: In(ids) }, order: { id: 'ASC' as const } };
      const pets = await database.read((manager) => manager.find(Pet, options), 'bulk');
      return (belongs ? pets.filter(belongs) : pets).map(viewOf);
    },
  };
}

/** Ids, and bytes of texts, of which both databases know the length without reading them. */
function sizes(manager: EntityManager, members?: readonly string[]): Query {
  const { columns } = manager.dataSource.getMetadata(Pet);
  const texts = columns.filter(
    ({ type, propertyName }) => type === 'text' && (members?.includes(propertyName) ?? true),
  );
  const bytes = texts.map(({ propertyName }) => `coalesce(octet_length(pet.${propertyName}), 0)`).join(' + ');
  return manager.createQueryBuilder(Pet, 'pet').select('pet.id', 'id').addSelect(bytes, 'bytes');
}

const inOrder =
  ({ after, limit }: Page): Choose =>
  (pets) =>
    pets
      .where('pet.id > :after', { after: BigInt(after) })
      .orderBy('pet.id')
      .limit(limit);

/** The first ids of each value come from the index; the first of these are the page. */
const havingAny =
  (
    values: string[],
    { after, limit }: Page,
    { of, value, id }: { of: EntityTarget<object>; value: string; id: string },
  ): Choose =>
  (pets) => {
    const idsOf = (_: string, n: number) => {
      const ones = pets.subQuery().select(id, 'id').from(of, 'one');
      return `SELECT "id" FROM ${valueAfter(ones, { value, id, parameter: `value${n}` })
        .limit(limit)
        .getQuery()} AS "one"`;
    };
    const ids = `SELECT "id" FROM (${values.map(idsOf).join(' UNION ')}) AS "of_any" ORDER BY "id" LIMIT ${limit}`;
    return pets
      .where(`pet.id IN (${ids})`)
      .orderBy('pet.id')
      .setParameters({ after: BigInt(after), ...Object.fromEntries(values.map((each, n) => [`value${n}`, each])) });
  };
