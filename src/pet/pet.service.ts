import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../database';
import { Repeats } from '../idempotency';
import type { CreatePetDto, OwnerDto } from './dto/create-pet.dto';
import type { LabelDto, UpdatePetDto } from './dto/update-pet.dto';
import { petView, type PetView } from './dto/pet.view';
import { Pet, type Label, type Owner } from './pet.entity';
import { OwnersDiffer, PetNotFound } from './pet.problems';

/** Keeps pets: v1 creates them, v2 replaces what v2 knows of them. */
@Injectable()
export class PetService {
  constructor(
    private readonly database: UnitOfWork,
    private readonly repeats: Repeats,
  ) {}

  /** Stores a pet under a new id. Throws OwnersDiffer when the two owner forms name different owners. */
  async create(dto: CreatePetDto): Promise<PetView> {
    if (dto.owner_id != null && dto.owner?.id != null && dto.owner_id !== dto.owner.id) {
      throw new OwnersDiffer();
    }
    return this.repeats.once((write) =>
      write(
        async (manager) => {
          const pet = Object.assign(new Pet(), {
            name: dto.name,
            ownerId: dto.owner_id ?? dto.owner?.id ?? null,
            owner: dto.owner ? toOwner(dto.owner) : null,
            species: dto.species ?? null,
            breed: dto.breed ?? null,
          });
          await manager.insert(Pet, pet);
          return petView(pet);
        },
        { single: true },
      ),
    );
  }

  /** Replaces all v2 members of a pet; those that only v1 has stay. Throws PetNotFound. */
  async update(dto: UpdatePetDto): Promise<void> {
    const { affected } = await this.database.writeOne((manager) =>
      manager
        .createQueryBuilder()
        .update(Pet)
        .set({
          name: dto.name,
          category: dto.category ? toLabel(dto.category) : null,
          photoUrls: dto.photoUrls,
          tags: dto.tags ? dto.tags.map(toLabel) : null,
          status: dto.status ?? null,
        })
        .where('id = :id', { id: dto.id })
        .execute(),
    );
    if (affected === 0) {
      throw new PetNotFound();
    }
  }
}

const toOwner = (dto: OwnerDto): Owner => ({
  id: dto.id ?? undefined,
  name: dto.name ?? undefined,
  species: dto.species ?? undefined,
});

const toLabel = (dto: LabelDto): Label => ({ id: dto.id ?? undefined, name: dto.name ?? undefined });
