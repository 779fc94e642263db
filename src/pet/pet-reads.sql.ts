import type { EntityManager } from 'typeorm';
import { parseJson, type Int64 } from '../common/json';
import { Columns, Statement } from '../database';
import type { Page } from '../http';
import { Pet, type Label } from './pet.entity';

/*
 * How pets are read: one statement each, so that a pet and its tags are of the same moment. Pages are in order of the
 * id and begin after one (keyset); each is found by an index that holds them in this order, so that nothing is sorted
 * or passed over, however many pets there are.
 */

/** A pet with its tags. */
export type TaggedPet = Pet & { tags: Label[] | null };

type Row = Record<string, unknown>;

const columns = new Columns(Pet);

const pets = (where: string) =>
  new Statement<Row>(
    ({ jsonRows }) => `SELECT ${columns.names.join(', ')},
     CASE WHEN "tag_count" > 0 THEN
       (SELECT ${jsonRows('"id", "name"', '"position"')} FROM "pet_tag" WHERE "pet_id" = "pet"."id") END AS "tags"
     FROM "pet" WHERE ${where}`,
  );

const BY_ID = pets('"id" = ?');

/** Owners are thought to have few pets, and a breed fewer than a species: the first one that is asked for is the index. */
const FILTERS = ['ownerId', 'breed', 'species'] as const;
export type PetFilter = Partial<Record<(typeof FILTERS)[number], string | null>>;

const LISTS = new Map<string, Statement<Row>>();
const BY_STATUSES = new Map<string, Statement<Row>>();
const BY_TAGS = new Map<string, Statement<Row>>();

export async function findPet(manager: EntityManager, id: Int64): Promise<TaggedPet | undefined> {
  const [row] = await BY_ID.rows(manager, [BigInt(id)]);
  return row && toPet(row);
}

/** Those that have all of the members. */
export async function listPets(manager: EntityManager, filter: PetFilter, { after, limit }: Page) {
  const given = FILTERS.filter((property) => filter[property] != null);
  const statement = once(LISTS, given.join(), () => {
    // Nothing finds the others by an index: SQLite, which keeps no statistics, might choose the worst.
    const wheres = new Columns(Pet, given).names.map((name, nth) =>
      nth === 0 ? `${name} = ?` : `(${name} || '') = ?`,
    );
    return pets([...wheres, '"id" > ?'].join(' AND ') + ' ORDER BY "id" LIMIT ?');
  });
  const values = given.map((property) => filter[property]);
  return (await statement.rows(manager, [...values, BigInt(after), limit])).map(toPet);
}

/** Those that have any of the statuses. */
export const listPetsByStatus = (manager: EntityManager, statuses: string[], page: Page) =>
  listOfAny(manager, BY_STATUSES, 'SELECT "id" FROM "pet" WHERE "status" = ? AND "id" > ?', statuses, page);

/** Those that have a tag of any of the names, each once. */
export const listPetsByTag = (manager: EntityManager, tags: string[], page: Page) =>
  listOfAny(
    manager,
    BY_TAGS,
    'SELECT DISTINCT "pet_id" AS "id" FROM "pet_tag" WHERE "name" = ? AND "pet_id" > ?',
    tags,
    page,
  );

/** The first ids of each value come from the index; the first of these are the page. */
async function listOfAny(
  manager: EntityManager,
  statements: Map<string, Statement<Row>>,
  ofOne: string,
  values: string[],
  { after, limit }: Page,
): Promise<TaggedPet[]> {
  const statement = once(statements, String(values.length), () => {
    const each = values.map(() => `SELECT "id" FROM (${ofOne} ORDER BY 1 LIMIT ?) AS "of_one"`);
    return pets(`"id" IN (SELECT "id" FROM (${each.join(' UNION ')}) AS "of_any" ORDER BY 1 LIMIT ?) ORDER BY "id"`);
  });
  const parameters = values.flatMap((value) => [value, BigInt(after), limit]);
  return (await statement.rows(manager, [...parameters, limit])).map(toPet);
}

function once<T>(made: Map<string, T>, key: string, make: () => T): T {
  let thing = made.get(key);
  if (!thing) {
    thing = make();
    made.set(key, thing);
  }
  return thing;
}

const toPet = (row: Row): TaggedPet =>
  Object.assign(columns.read(row), { tags: row.tag_count === null ? null : labelsOf(row.tags as string | null) });

/** Of the rows of PetTag, as JSON. */
export const labelsOf = (rows: string | null): Label[] =>
  rows === null
    ? []
    : (parseJson(rows) as [Int64 | null, string | null][]).map(([id, name]) => ({
        id: id ?? undefined,
        name: name ?? undefined,
      }));
