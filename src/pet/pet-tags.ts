import { In, type EntityManager } from 'typeorm';
import { PetTag, type Pet } from './pet.entity';

/** By what names of tags pets are found. */
const indexOf = (pets: Tagged[]): PetTag[] =>
  pets.flatMap(({ id: petId, tags }) => {
    const names = new Set(tags?.flatMap(({ name }) => name ?? []));
    return [...names].map((name) => ({ petId, name }));
  });

type Tagged = Pick<Pet, 'id' | 'tags'>;

/** Within the unit that stores new pets: they are found by their tags. */
export const indexNew = (manager: EntityManager, pets: Tagged[]): Promise<void> =>
  insertAll(manager, PetTag, indexOf(pets));

/** Within the unit that changes the tags of a pet: it is found by the new ones, and no longer by the others. */
export async function indexAnew(manager: EntityManager, pet: Tagged): Promise<void> {
  const before = new Set((await manager.findBy(PetTag, { petId: pet.id })).map(({ name }) => name));
  const now = indexOf([pet]);
  const names = new Set(now.map(({ name }) => name));
  const gone = [...before].filter((name) => !names.has(name));
  const come = now.filter(({ name }) => !before.has(name));
  if (gone.length > 0) {
    await manager.delete(PetTag, { petId: pet.id, name: In(gone) });
  }
  await insertAll(manager, PetTag, come);
}

const AT_ONCE = 100;

/** Some at a time: the parameters of a statement are limited. */
export async function insertAll<T extends object>(
  manager: EntityManager,
  entity: new () => T,
  things: T[],
): Promise<void> {
  for (let n = 0; n < things.length; n += AT_ONCE) {
    await manager.insert(entity, things.slice(n, n + AT_ONCE));
  }
}
