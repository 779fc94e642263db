import type { EntityManager } from 'typeorm';
import { writeJson, type Int64 } from '../common/json';
import { Columns, drawNumbers, Statement, type BoundStatement } from '../database';
import { Pet, type Label } from './pet.entity';
import { labelsOf, type TaggedPet } from './pet-reads.sql';

/*
 * How pets are written: as the entity says, a few times faster than TypeORM does it.
 */

export type Unnumbered = Omit<TaggedPet, 'id'>;
export type V2Pet = Pick<TaggedPet, 'id' | 'name' | 'category' | 'photoUrls' | 'tagCount' | 'tags' | 'status'>;

type Row = Record<string, unknown>;

const columns = new Columns(Pet);
const members = new Columns(
  Pet,
  columns.properties.filter((property) => property !== 'id'),
);
const v2Columns = new Columns(Pet, ['name', 'category', 'photoUrls', 'tagCount', 'status']);

const names = columns.names.join(', ');
const placeholders = columns.names.map(() => '?').join(', ');

const INSERT_NEXT = new Statement<{ id: Int64 }>(
  ({ nextNumber }) => `INSERT INTO "pet" ("id", ${members.names.join(', ')})
   SELECT "next"."id", ${members.names.map(() => '?').join(', ')} FROM (SELECT ${nextNumber('pet')} AS "id") AS "next"
   WHERE NOT EXISTS (SELECT 1 FROM "brought_pet_id" AS "brought" WHERE "brought"."id" = "next"."id")
   ON CONFLICT ("id") DO NOTHING RETURNING "id"`,
  { numbers: 'pet' },
);
const INSERT_DRAWN = new Statement<Row>(
  `INSERT INTO "pet" (${names}) SELECT ${placeholders}
   WHERE NOT EXISTS (SELECT 1 FROM "brought_pet_id" WHERE "id" = ?) ON CONFLICT ("id") DO NOTHING RETURNING "id"`,
);
const INSERT_BROUGHT = new Statement<Row>(
  `INSERT INTO "pet" (${names}) VALUES (${placeholders}) ON CONFLICT ("id") DO NOTHING RETURNING "id"`,
);
const NOTE_BROUGHT = new Statement<Row>('INSERT INTO "brought_pet_id" ("id") VALUES (?) ON CONFLICT ("id") DO NOTHING');

const update = (changes: string, where = '') =>
  new Statement<{ version: number }>(
    `UPDATE "pet" SET ${changes}, "version" = "version" + 1
     WHERE "id" = ? AND "version" = coalesce(CAST(? AS bigint), "version") ${where} RETURNING "version"`,
  );
const v2Changes = v2Columns.names.map((name) => `${name} = ?`).join(', ');
const REPLACE = update(v2Changes);
const REPLACE_UNTAGGED = update(v2Changes, 'AND coalesce("tag_count", 0) = 0');
const PATCH = update('"name" = coalesce(?, "name"), "status" = coalesce(?, "status")');

const DELETE = new Statement<{ version: number }>(
  `DELETE FROM "pet" WHERE "id" = ? AND "version" = coalesce(CAST(? AS bigint), "version")
   RETURNING "version" + 1 AS "version"`,
);
const VERSION = new Statement<{ version: number }>('SELECT "version" FROM "pet" WHERE "id" = ?');

const TAGS = new Statement<{ tags: string | null }>(
  ({ jsonRows }) => `SELECT ${jsonRows('"id", "name"', '"position"')} AS "tags" FROM "pet_tag" WHERE "pet_id" = ?`,
);
const DELETE_TAGS = new Statement<Row>('DELETE FROM "pet_tag" WHERE "pet_id" = ?');
const INSERT_TAGS = new Statement<Row>(
  ({ jsonElements }) => `INSERT INTO "pet_tag" ("pet_id", "position", "id", "name")
   SELECT CAST(? AS bigint), CAST("value" ->> 0 AS integer), CAST("value" ->> 1 AS bigint), "value" ->> 2
   FROM ${jsonElements}(?)`,
);

/** Stores a pet without tags under the next number, and answers that; no row where a client has brought the number. */
export const insertionUnderNext = (pet: Unnumbered): BoundStatement<{ id: Int64 }> =>
  INSERT_NEXT.with(members.values(pet));

/** Stores a pet under a number that no pet has or had, and that no client ever brought. Answers the number. */
export async function insertNumbered(manager: EntityManager, pet: Unnumbered): Promise<Int64> {
  for (;;) {
    const [id] = (await drawNumbers(manager, 'pet', 1, new Set(), 'brought_pet_id')) as [number];
    const stored = await INSERT_DRAWN.rows(manager, [...columns.values({ ...pet, id }), BigInt(id)]);
    if (stored.length > 0) {
      await insertTags(manager, id, pet.tags);
      return id;
    }
    // A client brought it in this moment.
  }
}

/** Stores a pet under the id that its client brought. False where that is taken. */
export async function insertBrought(manager: EntityManager, pet: TaggedPet): Promise<boolean> {
  const stored = await INSERT_BROUGHT.rows(manager, columns.values(pet));
  if (stored.length === 0) {
    return false;
  }
  await NOTE_BROUGHT.rows(manager, [BigInt(pet.id)]);
  await insertTags(manager, pet.id, pet.tags);
  return true;
}

/** Replaces what v2 knows of a pet, if it has `version` or none is given. Its new version, if there is such a pet. */
export async function replacePet(
  manager: EntityManager,
  pet: V2Pet,
  version: number | null,
): Promise<number | undefined> {
  const [row] = await REPLACE.rows(manager, [...v2Columns.values(pet), BigInt(pet.id), version]);
  if (row) {
    // By a statement of its own, after the pet is locked: PostgreSQL would show the tags as they were before.
    const [{ tags } = { tags: null }] = await TAGS.rows(manager, [BigInt(pet.id)]);
    if (writeJson(labelsOf(tags)) !== writeJson(pet.tags ?? [])) {
      await DELETE_TAGS.rows(manager, [BigInt(pet.id)]);
      await insertTags(manager, pet.id, pet.tags);
    }
  }
  return row?.version;
}

/** Changes a pet if it has `version` or none is given. Answers its new version; no row where there is no such pet. */
export type Change = BoundStatement<{ version: number }>;

/** As `replacePet`, if the pet neither has tags nor is to have any. */
export const replacementOfUntagged = (pet: V2Pet): Change =>
  REPLACE_UNTAGGED.with([...v2Columns.values(pet), BigInt(pet.id), null]);

/** Sets those of the members that are not null. */
export const patchOf = (
  { id, name, status }: Pick<Pet, 'id' | 'status'> & { name: string | null },
  version: number | null,
): Change => PATCH.with([name, status, BigInt(id), version]);

/** The tags go with their pet. */
export const deletionOf = (id: Int64, version: number | null): Change => DELETE.with([BigInt(id), version]);

export async function findVersion(manager: EntityManager, id: Int64): Promise<number | undefined> {
  const [row] = await VERSION.rows(manager, [BigInt(id)]);
  return row?.version;
}

async function insertTags(manager: EntityManager, id: Int64, tags: Label[] | null): Promise<void> {
  if (tags && tags.length > 0) {
    const rows = tags.map((tag, position) => [position, tag.id ?? null, tag.name ?? null]);
    await INSERT_TAGS.rows(manager, [BigInt(id), writeJson(rows)]);
  }
}
