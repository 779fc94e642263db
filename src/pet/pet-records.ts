import { Injectable } from '@nestjs/common';
import { ValidationFailed, type Fault } from '../common/problem';
import { Config } from '../config';
import { UnitOfWork } from '../database';
import { ListOf } from '../http';
import { PetRecordDto } from './dto/pet-record.dto';
import { nextPets, type TaggedPet } from './pet-reads.sql';
import { insertBrought, insertNumbered } from './pet-writes.sql';
import { Pet } from './pet.entity';
import { newPet, ownersDiffer, toOwner, v2Members } from './pet.service';

const AT_ONCE = 1_000;

/** All pets in order of the id, some at a time. Of what is written meanwhile, some may be among them. */
export async function* allPets(database: Pick<UnitOfWork, 'read'>): AsyncGenerator<PetRecordDto[]> {
  for (let after: Pet['id'] = 0; ;) {
    const pets = await database.read((manager) => nextPets(manager, { after, limit: AT_ONCE }), 'bulk');
    yield pets.map(toRecord);
    if (pets.length < AT_ONCE) {
      return;
    }
    after = pets.at(-1)!.id;
  }
}

export const countPets = (database: Pick<UnitOfWork, 'read'>): Promise<number> =>
  database.read((manager) => manager.count(Pet));

/** What operators do with pets. */
@Injectable()
export class PetRecords {
  private readonly rules: ListOf<PetRecordDto>;

  constructor(
    private readonly database: UnitOfWork,
    config: Config,
  ) {
    this.rules = new ListOf(PetRecordDto, config.bulkLimit);
  }

  /** Stores all or none of at most BULK_LIMIT pets. Throws ValidationFailed with each place. */
  async import(values: unknown[]): Promise<void> {
    const pets = this.rules.transform(values);
    refuse(pets.flatMap((dto, index) => (ownersDiffer(dto) ? [fault(index, 'owner/id', 'must be owner_id')] : [])));
    await this.database.write(async (manager) => {
      const taken: Fault[] = [];
      for (const [index, dto] of pets.entries()) {
        const pet = toPet(dto);
        if (!dto.id) {
          await insertNumbered(manager, pet);
        } else if (!(await insertBrought(manager, { ...pet, id: dto.id }))) {
          taken.push(fault(index, 'id', 'is taken'));
        }
      }
      refuse(taken);
    }, 'bulk');
  }
}

const fault = (index: number, member: string, detail: string): Fault => ({ pointer: `/${index}/${member}`, detail });

function refuse(faults: Fault[]): void {
  if (faults.length > 0) {
    throw new ValidationFailed(faults);
  }
}

const toPet = (dto: PetRecordDto) =>
  newPet({
    ...v2Members({ ...dto, photoUrls: dto.photoUrls ?? [] }),
    photoUrls: dto.photoUrls ?? null,
    ownerId: dto.owner_id ?? dto.owner?.id ?? null,
    owner: dto.owner ? toOwner(dto.owner) : null,
    species: dto.species ?? null,
    breed: dto.breed ?? null,
  });

const toRecord = (pet: TaggedPet): PetRecordDto => ({
  id: pet.id,
  name: pet.name,
  owner_id: pet.ownerId ?? undefined,
  owner: pet.owner ?? undefined,
  species: pet.species ?? undefined,
  breed: pet.breed ?? undefined,
  category: pet.category ?? undefined,
  photoUrls: pet.photoUrls ?? undefined,
  tags: pet.tags ?? undefined,
  status: pet.status ?? undefined,
});
