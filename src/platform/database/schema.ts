import { Initial1764000000000 } from './migrations/1764000000000-initial';
import { SessionsByUser1764400000000 } from './migrations/1764400000000-sessions-by-user';
import { UserNumbering1764410000000 } from './migrations/1764410000000-user-numbering';
import { IdempotentAnswers1764420000000 } from './migrations/1764420000000-idempotent-answers';
import { Probe1764500000000 } from './migrations/1764500000000-probe';
import { PetTags1764510000000 } from './migrations/1764510000000-pet-tags';
import { UserVersions1764520000000 } from './migrations/1764520000000-user-versions';
import { KeysWithoutSequences1764540000000 } from './migrations/1764540000000-keys-without-sequences';
import { TagsInPets1764550000000 } from './migrations/1764550000000-tags-in-pets';
import { PetPhotos1764560000000 } from './migrations/1764560000000-pet-photos';
import { AnswersByNetwork1764570000000 } from './migrations/1764570000000-answers-by-network';
import { IndexedTexts1764580000000 } from './migrations/1764580000000-indexed-texts';

/** All migrations, oldest first. */
export const migrations = [
  Initial1764000000000,
  SessionsByUser1764400000000,
  UserNumbering1764410000000,
  IdempotentAnswers1764420000000,
  Probe1764500000000,
  PetTags1764510000000,
  UserVersions1764520000000,
  KeysWithoutSequences1764540000000,
  TagsInPets1764550000000,
  PetPhotos1764560000000,
  AnswersByNetwork1764570000000,
  IndexedTexts1764580000000,
] as const;

/** Classes that are tables; src/entities.ts lists them all. */
export type Entities = (new () => object)[];

/**
 * What every DataSource is told of the schema.
 * `synchronize` is off for good: the schema comes from migrations.
 */
export const schema = (entities: Entities) => ({ entities, migrations: [...migrations] });
