import { newVersion } from '../platform/http';
import type { CreatePetDto, OwnerDto } from './dto/create-pet.dto';
import type { LabelDto, UpdatePetDto } from './dto/update-pet.dto';
import type { Label, Owner, Pet } from './pet.entity';

/*
 * What a pet has of what a client says.
 */

export type NewPet = Omit<Pet, 'id'>;

/** Whether the two forms of an owner name different ones. */
export const ownersDiffer = ({ owner_id, owner }: Pick<CreatePetDto, 'owner_id' | 'owner'>) =>
  owner_id != null && owner?.id != null && owner_id !== owner.id;

export const newPet = (members: Partial<NewPet> & { name: string }): NewPet => ({
  version: newVersion(),
  ownerId: null,
  owner: null,
  species: null,
  breed: null,
  status: null,
  category: null,
  photoUrls: null,
  tags: null,
  photosUploaded: null,
  ...members,
});

export const v1Members = (dto: CreatePetDto) => ({
  name: dto.name,
  ownerId: dto.owner_id ?? dto.owner?.id ?? null,
  owner: dto.owner ? toOwner(dto.owner) : null,
  species: dto.species ?? null,
  breed: dto.breed ?? null,
});

export const v2Members = (dto: Omit<UpdatePetDto, 'id'>) => ({
  name: dto.name,
  status: dto.status ?? null,
  category: dto.category ? toLabel(dto.category) : null,
  photoUrls: dto.photoUrls,
  tags: dto.tags?.map(toLabel) ?? null,
});

const toOwner = (dto: OwnerDto): Owner => ({
  id: dto.id ?? undefined,
  name: dto.name ?? undefined,
  species: dto.species ?? undefined,
});

const toLabel = (dto: LabelDto): Label => ({ id: dto.id ?? undefined, name: dto.name ?? undefined });
