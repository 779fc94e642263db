import type { EntityManager } from 'typeorm';
import { parseJson, type Int64 } from '../common/json';
import { Columns, Statement, type Spelling, type UnitOfWork } from '../database';
import type { Page } from '../http';
import { Pet, type Label } from './pet.entity';

/*
 * How pets are read: one statement each, so that a pet and its tags are of the same moment. Pages are in order of the
 * id and begin after one (keyset); each is found by an index that holds them in this order, so that nothing is sorted
 * or passed over, however many pets there are.
 */

/** What v1 knows of a pet. */
export type V1Pet = Pick<Pet, (typeof V1_MEMBERS)[number]>;
const V1_MEMBERS = ['id', 'name', 'ownerId', 'owner', 'species', 'breed'] as const;

/** A pet with its tags. */
export type TaggedPet = Pet & { tags: Label[] | null };

type Row = Record<string, unknown>;
type Reads = Pick<UnitOfWork, 'readOne'>;

const columns = new Columns(Pet);
const v1Columns = new Columns(Pet, V1_MEMBERS);

type Where = (spelling: Spelling) => string;

const v1Pets = (where: Where) =>
  new Statement<Row>((spelling) => `SELECT ${v1Columns.names.join(', ')} FROM "pet" WHERE ${where(spelling)}`);

const taggedPets = (where: Where) =>
  new Statement<Row>(
    (spelling) => `SELECT ${columns.names.join(', ')},
     CASE WHEN "tag_count" > 0 THEN
       (SELECT ${spelling.jsonRows('"id", "name"', '"position"')} FROM "pet_tag" WHERE "pet_id" = "pet"."id") END AS "tags"
     FROM "pet" WHERE ${where(spelling)}`,
  );

const BY_ID = taggedPets(() => '"id" = ?');
const IN_ORDER = taggedPets(() => '"id" > ? ORDER BY "id" LIMIT ?');

/** Owners are thought to have few pets, and a breed fewer than a species: the first one that is asked for is the index. */
const FILTERS = ['ownerId', 'breed', 'species'] as const;
export type PetFilter = Partial<Record<(typeof FILTERS)[number], string | null>>;

const LISTS = new Map<string, Statement<Row>>();
const BY_STATUSES = new Map<string, Statement<Row>>();
const BY_TAGS = new Map<string, Statement<Row>>();

export async function findPet(database: Reads, id: Int64): Promise<TaggedPet | undefined> {
  const [row] = await database.readOne(BY_ID.with([BigInt(id)]));
  return row && toTaggedPet(row);
}

/** Whoever they are. */
export async function nextPets(manager: EntityManager, { after, limit }: Page): Promise<TaggedPet[]> {
  return (await IN_ORDER.rows(manager, [BigInt(after), limit])).map(toTaggedPet);
}

/** Those that have all of the members. */
export async function listPets(database: Reads, filter: PetFilter, { after, limit }: Page): Promise<V1Pet[]> {
  const given = FILTERS.filter((property) => filter[property] != null);
  const statement = once(LISTS, given.join(), () => {
    const [first, ...others] = new Columns(Pet, given).names;
    return v1Pets(({ ofValue, unindexed }) => {
      const { where, order } = first ? ofValue(first, '"id"') : { where: '"id" > ?', order: 'ORDER BY "id"' };
      return `${[where, ...others.map((name) => `${unindexed(name)} = ?`)].join(' AND ')} ${order} LIMIT ?`;
    });
  });
  const [first, ...others] = given.map((property) => filter[property]);
  const start = first == null ? [BigInt(after)] : [first, BigInt(after), first];
  return (await database.readOne(statement.with([...start, ...others, limit]), 'bulk')).map((row) =>
    v1Columns.read(row),
  );
}

/** Those that have any of the statuses. */
export const listPetsByStatus = (database: Reads, statuses: string[], page: Page) =>
  listOfAny(database, BY_STATUSES, idsByStatus, statuses, page);

/** Those that have a tag of any of the names, each once. */
export const listPetsByTag = (database: Reads, tags: string[], page: Page) =>
  listOfAny(database, BY_TAGS, idsByTag, tags, page);

const idsByStatus: Where = ({ ofValue }) => {
  const { where, order } = ofValue('"status"', '"id"');
  return `SELECT "status", "id" FROM "pet" WHERE ${where} ${order} LIMIT ?`;
};
const idsByTag: Where = ({ ofValue }) => {
  const { where, order } = ofValue('"name"', '"pet_id"');
  return `SELECT DISTINCT "name", "pet_id" AS "id" FROM "pet_tag" WHERE ${where} ${order} LIMIT ?`;
};

/** The first ids of each value come from the index; the first of these are the page. */
async function listOfAny(
  database: Reads,
  statements: Map<string, Statement<Row>>,
  idsOfOne: Where,
  values: string[],
  { after, limit }: Page,
): Promise<TaggedPet[]> {
  const statement = once(statements, String(values.length), () =>
    taggedPets((spelling) => {
      const each = values.map(() => `SELECT "id" FROM (${idsOfOne(spelling)}) AS "of_one"`);
      return `"id" IN (SELECT "id" FROM (${each.join(' UNION ')}) AS "of_any" ORDER BY 1 LIMIT ?) ORDER BY "id"`;
    }),
  );
  const parameters = values.flatMap((value) => [value, BigInt(after), value, limit]);
  return (await database.readOne(statement.with([...parameters, limit]), 'bulk')).map(toTaggedPet);
}

function once<T>(made: Map<string, T>, key: string, make: () => T): T {
  let thing = made.get(key);
  if (!thing) {
    thing = make();
    made.set(key, thing);
  }
  return thing;
}

const toTaggedPet = (row: Row): TaggedPet =>
  Object.assign(columns.read(row), { tags: row.tag_count === null ? null : labelsOf(row.tags as string | null) });

/** Of the rows of PetTag, as JSON. */
export const labelsOf = (rows: string | null): Label[] =>
  rows === null
    ? []
    : (parseJson(rows) as [Int64 | null, string | null][]).map(([id, name]) => ({
        id: id ?? undefined,
        name: name ?? undefined,
      }));
