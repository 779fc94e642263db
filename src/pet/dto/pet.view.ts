import type { Owner, Pet } from '../pet.entity';

/** What POST /v1/pet answers; absent members are left out. */
export interface PetView {
  id: number;
  name: string;
  owner_id?: string;
  owner?: Owner;
  species?: string;
  breed?: string;
}

export function petView(pet: Pet): PetView {
  return {
    id: pet.id,
    name: pet.name,
    owner_id: pet.ownerId ?? undefined,
    owner: pet.owner ?? undefined,
    species: pet.species ?? undefined,
    breed: pet.breed ?? undefined,
  };
}
