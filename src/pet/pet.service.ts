import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Int64 } from '../common/json';
import { UnitOfWork } from '../database';
import { Conditions, type Page, type Versioned } from '../http';
import { Repeats, type Attempt, type Write } from '../idempotency';
import type { CreatePetDto, OwnerDto } from './dto/create-pet.dto';
import type { AddPetDto, LabelDto, UpdatePetDto, UpdatePetWithFormDto } from './dto/update-pet.dto';
import type { ListPetsQuery } from './dto/read-pets.dto';
import { petV2View, petView, type PetV2View, type PetView } from './dto/pet.view';
import { findPet, listPets, listPetsByStatus, listPetsByTag, type TaggedPet } from './pet-reads.sql';
import {
  deletionOf,
  findVersion,
  insertBrought,
  insertionUnderNext,
  insertNumbered,
  patchOf,
  replacementOfUntagged,
  replacePet,
  type Change,
  type Unnumbered,
} from './pet-writes.sql';
import type { Label, Owner } from './pet.entity';
import { OwnersDiffer, PetIdTaken, PetNotFound } from './pet.problems';

/** Keeps pets: v1 creates them, v2 replaces what v2 knows of them, and adds its own. */
@Injectable()
export class PetService {
  constructor(
    private readonly database: UnitOfWork,
    private readonly repeats: Repeats,
  ) {}

  /** Stores a pet under a new id. Throws OwnersDiffer when the two owner forms name different owners. */
  async create(dto: CreatePetDto, attempt?: Attempt): Promise<Versioned<PetView>> {
    if (ownersDiffer(dto)) {
      throw new OwnersDiffer();
    }
    const pet = newPet({
      name: dto.name,
      ownerId: dto.owner_id ?? dto.owner?.id ?? null,
      owner: dto.owner ? toOwner(dto.owner) : null,
      species: dto.species ?? null,
      breed: dto.breed ?? null,
    });
    return this.repeats.once(attempt, (write) => storeNumbered(write, pet, petView));
  }

  /** Stores a pet under the id that it brings, or else a new one. Throws PetIdTaken. */
  async add(dto: AddPetDto, attempt?: Attempt): Promise<Versioned<PetV2View>> {
    const pet = newPet(v2Members(dto));
    const { id } = dto;
    return this.repeats.once(attempt, (write) =>
      id ? storeBrought(write, { ...pet, id }, petV2View) : storeNumbered(write, pet, petV2View),
    );
  }

  /** What `viewOf` makes of one pet. Throws PetNotFound. */
  async get<T>(id: Int64, viewOf: (pet: TaggedPet) => T): Promise<Versioned<T>> {
    const pet = await findPet(this.database, id);
    if (!pet) {
      throw new PetNotFound();
    }
    return { view: viewOf(pet), version: pet.version };
  }

  /** The v1 pets of a page that have all of the members. */
  async list({ owner_id, species, breed }: ListPetsQuery, page: Page): Promise<PetView[]> {
    const filter = { ownerId: owner_id, species, breed };
    return (await listPets(this.database, filter, page)).map(petView);
  }

  /** The v2 pets of a page that have any of the statuses. */
  async findByStatus(statuses: string[], page: Page): Promise<PetV2View[]> {
    return (await listPetsByStatus(this.database, statuses, page)).map(petV2View);
  }

  /** The v2 pets of a page that have a tag of any of these names. */
  async findByTags(tags: string[], page: Page): Promise<PetV2View[]> {
    return (await listPetsByTag(this.database, tags, page)).map(petV2View);
  }

  /** Replaces all v2 members of a pet; those that only v1 has stay. Answers its new version. Throws as `change`. */
  async update(dto: UpdatePetDto, conditions: Conditions): Promise<number> {
    const pet = { id: dto.id, ...v2Members(dto) };
    const [changed] = conditions.none && !pet.tagCount ? await this.database.writeOne(replacementOfUntagged(pet)) : [];
    return changed?.version ?? this.change(dto.id, conditions, (manager, seen) => replacePet(manager, pet, seen));
  }

  /** Sets those of the members that are given. Answers the new version. Throws as `change`. */
  patch(id: Int64, { name, status }: UpdatePetWithFormDto, conditions: Conditions): Promise<number> {
    const members = { id, name: name ?? null, status: status ?? null };
    return this.changeByOne(id, conditions, (version) => patchOf(members, version));
  }

  /** Answers the version after its last one. Throws as `change`. */
  delete(id: Int64, conditions: Conditions): Promise<number> {
    return this.changeByOne(id, conditions, (version) => deletionOf(id, version));
  }

  /**
   * Makes a change, if the conditions permit it in the very version that is changed. Answers the new version.
   * Throws PetNotFound, PreconditionFailed, or a Problem (400) for conditions that cannot be read.
   */
  private change(id: Int64, conditions: Conditions, make: Make): Promise<number> {
    return this.database.write(async (manager) => {
      for (;;) {
        const seen = conditions.none ? null : await findVersion(manager, id);
        if (seen) {
          conditions.permit(seen);
        }
        const made = seen === undefined ? undefined : await make(manager, seen);
        if (made !== undefined) {
          return made;
        }
        if (!seen) {
          throw new PetNotFound();
        }
        // Another process changed it after it was seen: look again.
      }
    });
  }

  /** The same, for a change that takes one statement. */
  private async changeByOne(
    id: Int64,
    conditions: Conditions,
    changeOf: (version: number | null) => Change,
  ): Promise<number> {
    if (!conditions.none) {
      return this.change(id, conditions, async (manager, seen) => (await changeOf(seen).rows(manager))[0]?.version);
    }
    const [changed] = await this.database.writeOne(changeOf(null));
    if (!changed) {
      throw new PetNotFound();
    }
    return changed.version;
  }
}

/** Answers the new version; undefined where there is no such pet, or not in the version that is given. */
type Make = (manager: EntityManager, version: number | null) => Promise<number | undefined>;

async function storeBrought<T>(write: Write, pet: TaggedPet, viewOf: (pet: TaggedPet) => T): Promise<Versioned<T>> {
  return write(async (manager) => {
    if (!(await insertBrought(manager, pet))) {
      throw new PetIdTaken();
    }
    return { view: viewOf(pet), version: pet.version };
  });
}

/** The next number is one that a client has brought. */
class NumberBrought extends Error {}

/** By one statement where that is enough. */
async function storeNumbered<T>(write: Write, pet: Unnumbered, viewOf: (pet: TaggedPet) => T): Promise<Versioned<T>> {
  const made = (id: Int64) => ({ view: viewOf({ ...pet, id }), version: pet.version });
  const byMore = () => write(async (manager) => made(await insertNumbered(manager, pet)));
  if (pet.tagCount) {
    return byMore();
  }
  try {
    return await write.one(insertionUnderNext(pet), ([stored]) => {
      if (!stored) {
        throw new NumberBrought();
      }
      return made(stored.id);
    });
  } catch (error) {
    if (error instanceof NumberBrought) {
      return byMore();
    }
    throw error;
  }
}

const MAX_FIRST_VERSION = 2 ** 47;

/** Whether the two forms of an owner name different ones. */
export const ownersDiffer = ({ owner_id, owner }: Pick<CreatePetDto, 'owner_id' | 'owner'>) =>
  owner_id != null && owner?.id != null && owner_id !== owner.id;

export const newPet = (members: Partial<Unnumbered> & { name: string }): Unnumbered => ({
  version: randomInt(1, MAX_FIRST_VERSION),
  ownerId: null,
  owner: null,
  species: null,
  breed: null,
  category: null,
  photoUrls: null,
  tagCount: null,
  tags: null,
  status: null,
  ...members,
});

export const v2Members = (dto: Omit<UpdatePetDto, 'id'>) => {
  const tags = dto.tags?.map(toLabel) ?? null;
  return {
    name: dto.name,
    category: dto.category ? toLabel(dto.category) : null,
    photoUrls: dto.photoUrls,
    tagCount: tags?.length ?? null,
    tags,
    status: dto.status ?? null,
  };
};

export const toOwner = (dto: OwnerDto): Owner => ({
  id: dto.id ?? undefined,
  name: dto.name ?? undefined,
  species: dto.species ?? undefined,
});

const toLabel = (dto: LabelDto): Label => ({ id: dto.id ?? undefined, name: dto.name ?? undefined });
