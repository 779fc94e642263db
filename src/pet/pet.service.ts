import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Equal, IsNull, type DeleteResult, type FindOptionsWhere, type Repository, type UpdateResult } from 'typeorm';
import type { Int64 } from '../platform/common/json';
import { insertNumbered, isUniqueViolation, nextIds, storeAgain, UnitOfWork } from '../platform/database';
import { Conditions, newVersion, type Found, type Page, type Versioned } from '../platform/http';
import { IdempotencyStore, type Attempt, type Write } from '../platform/idempotency';
import type { CreatePetDto } from './dto/create-pet.dto';
import type { AddPetDto, UpdatePetDto, UpdatePetWithFormDto } from './dto/update-pet.dto';
import type { ListPetsQuery } from './dto/read-pets.dto';
import { petV2View, petView, type PetV2View, type PetView } from './dto/pet.view';
import { listByStatus, listByTag, listWith } from './pet-lists';
import { indexAnew, indexNew } from './pet-tags';
import { ClientAssignedPetId, Pet } from './pet.entity';
import { newPet, ownersDiffer, v1Members, v2Members, type NewPet } from './pet-members';
import { OwnersDiffer, PetIdTaken, PetNotFound } from './pet.problems';
import { PhotoService } from './photo/photo.service';

/** Keeps pets: v1 creates them, v2 replaces what v2 knows of them, and adds its own. */
@Injectable()
export class PetService {
  constructor(
    @InjectRepository(Pet) private readonly pets: Repository<Pet>,
    private readonly photos: PhotoService,
    private readonly database: UnitOfWork,
    private readonly idempotency: IdempotencyStore,
  ) {}

  /** Stores a pet under a new id. Throws OwnersDiffer when the two owner forms name different owners. */
  async create(dto: CreatePetDto, attempt?: Attempt): Promise<Versioned<PetView>> {
    if (ownersDiffer(dto)) {
      throw new OwnersDiffer();
    }
    const pet = newPet(v1Members(dto));
    return this.idempotency.once(attempt, dto, (write) => this.storeNumbered(write, pet, petView));
  }

  /** Stores a pet under the id that it brings, or else a new one. Throws PetIdTaken. */
  async add(dto: AddPetDto, attempt?: Attempt): Promise<Versioned<PetV2View>> {
    const pet = newPet(v2Members(dto));
    const { id } = dto;
    return this.idempotency.once(attempt, dto, (write) =>
      id ? this.storeClientAssigned(write, { ...pet, id }) : this.storeNumbered(write, pet, petV2View),
    );
  }

  /** What `viewOf` makes of one pet. Throws PetNotFound. */
  async get<T>(id: Int64, viewOf: (pet: Pet) => T): Promise<Versioned<T>> {
    const pet = await this.find(id);
    return { view: viewOf(pet), version: pet.version };
  }

  /** The v1 pets of a page that have all of the members. */
  list({ owner_id, species, breed }: ListPetsQuery, page: Page): Promise<Found<PetView>> {
    return listWith(this.database, { ownerId: owner_id, species, breed }, page);
  }

  /** The v2 pets of a page that have any of the statuses. */
  findByStatus(statuses: string[], page: Page): Promise<Found<PetV2View>> {
    return listByStatus(this.database, statuses, page);
  }

  /** The v2 pets of a page that have a tag of any of these names. */
  findByTags(tags: string[], page: Page): Promise<Found<PetV2View>> {
    return listByTag(this.database, tags, page);
  }

  /** Replaces all v2 members of a pet; those that only v1 has stay. Answers its new version. Throws as `change`. */
  async update(dto: UpdatePetDto, conditions: Conditions): Promise<number> {
    const { id } = dto;
    const members = { ...v2Members(dto), version: newVersion() };
    if (conditions.none) {
      // Where its tags stay, and it has no photos, a single statement is enough.
      const tags = members.tags?.length ? Equal(members.tags) : IsNull();
      const { affected } = await this.pets.update({ id, tags, photosUploaded: IsNull() }, members);
      if (affected) {
        return members.version;
      }
    }
    await this.database.write(async (manager) => {
      await this.change(id, conditions, (where) => this.pets.update(where, members));
      await indexAnew(manager, { id, tags: members.tags });
      await this.photos.keepOnly(id, members.photoUrls);
    });
    return members.version;
  }

  /** Sets those of the members that are given, and answers the pet. Throws as `change`. */
  async patch(id: Int64, { name, status }: UpdatePetWithFormDto, conditions: Conditions) {
    const members = { ...(name != null && { name }), ...(status != null && { status }), version: newVersion() };
    await this.change(id, conditions, (where) => this.pets.update(where, members));
    return this.get(id, petV2View);
  }

  /** Answers a version that it never had. Throws as `change`. */
  async delete(id: Int64, conditions: Conditions): Promise<number> {
    await this.change(id, conditions, (where) => this.pets.delete(where));
    return newVersion();
  }

  /**
   * Makes a change to a pet, if the conditions permit it in the very version that is changed. Throws PetNotFound,
   * PreconditionFailed, or a Problem (400) for conditions that cannot be read.
   */
  private async change(id: Int64, conditions: Conditions, make: PetChange): Promise<void> {
    const isChanged = async (where: FindOptionsWhere<Pet>) => Boolean((await make(where)).affected);
    if (!conditions.none) {
      await conditions.compareAndChange(
        () => this.find(id),
        ({ version }) => isChanged({ id, version }),
      );
    } else if (!(await isChanged({ id }))) {
      throw new PetNotFound();
    }
  }

  private async find(id: Int64): Promise<Pet> {
    const pet = await this.pets.findOneBy({ id });
    if (!pet) {
      throw new PetNotFound();
    }
    return pet;
  }

  private storeNumbered<T>(write: Write, pet: NewPet, viewOf: (pet: Pet) => T): Promise<Versioned<T>> {
    const tell = (stored: Pet) => ({ view: viewOf(stored), version: stored.version });
    return storeAgain(['pet_pkey'], () =>
      pet.tags?.length
        ? write(async (manager) => {
            const [id] = (await nextIds(manager, 'pet', 1, new Set(), 'brought_pet_id')) as [number];
            const stored = { ...pet, id };
            await this.database.inOneRoundTrip([() => manager.insert(Pet, stored), () => indexNew(manager, [stored])]);
            return tell(stored);
          })
        : write.one(async () => {
            const id = await insertNumbered(this.database, Pet, pet, 'brought_pet_id');
            return tell({ ...pet, id });
          }),
    );
  }

  private async storeClientAssigned(write: Write, pet: Pet): Promise<Versioned<PetV2View>> {
    if (await this.pets.existsBy({ id: pet.id })) {
      throw new PetIdTaken();
    }
    return write(async (manager) => {
      await this.database.inOneRoundTrip([
        () => manager.insert(Pet, pet),
        () => manager.upsert(ClientAssignedPetId, { id: pet.id }, ['id']),
        () => indexNew(manager, [pet]),
      ]);
      return { view: petV2View(pet), version: pet.version };
    }).catch((error: unknown) => {
      throw isUniqueViolation(error, 'pet_pkey') ? new PetIdTaken() : error;
    });
  }
}

/** What is done to the pets of which `where` is true, at most one. */
type PetChange = (where: FindOptionsWhere<Pet>) => Promise<UpdateResult | DeleteResult>;
