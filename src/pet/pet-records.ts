import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { refuseFaults, type Fault } from '../platform/common/problem';
import { Config } from '../platform/config';
import { nextIds, storeAgain, UnitOfWork, type Work } from '../platform/database';
import { ListOf, readPage, type Page } from '../platform/http';
import { PetRecordDto } from './dto/pet-record.dto';
import { petV2View, petView } from './dto/pet.view';
import { listAll } from './pet-lists';
import { indexNew, insertAll } from './pet-tags';
import { ClientAssignedPetId, Pet } from './pet.entity';
import { newPet, ownersDiffer, v1Members, v2Members } from './pet-members';

const AT_ONCE = 100;

/** All pets in order of the id, a page at a time. Of what is written meanwhile, some may be among them. */
export async function* allPets(database: Pick<UnitOfWork, 'read'>): AsyncGenerator<PetRecordDto[]> {
  const find = (page: Page) => listAll(database, page);
  for (let after: Pet['id'] | undefined = 0; after !== undefined;) {
    const { things, next }: { things: Pet[]; next?: Pet['id'] } = await readPage(find, after, AT_ONCE);
    yield things.map(toRecord);
    after = next;
    // SQLite answers without letting go of the event loop.
    await nextTurn();
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
    refuseFaults(
      pets.flatMap((dto, index) => (ownersDiffer(dto) ? [fault(index, 'owner/id', 'must be owner_id')] : [])),
    );
    const assigned = pets.flatMap(({ id }) => id || []);
    const store: Work<void> = async (manager) => {
      const taken = new Set((await manager.find(Pet, { select: { id: true }, where: { id: In(assigned) } })).map(idOf));
      refuseFaults(pets.flatMap(({ id }, index) => (id && taken.has(id) ? [fault(index, 'id', 'is taken')] : [])));
      const count = pets.length - assigned.length;
      const numbers = (await nextIds(manager, 'pet', count, new Set(assigned), 'brought_pet_id')).values();
      const made = pets.map((dto) => ({ ...toPet(dto), id: dto.id || numbers.next().value! }));
      await insertAll(manager, Pet, made);
      await indexNew(manager, made);
      const notes = assigned.map((id) => ({ id }));
      await manager.upsert(ClientAssignedPetId, notes, ['id']);
    };
    await storeAgain(['pet_pkey'], () => this.database.write(store, 'bulk'));
  }
}

const idOf = ({ id }: Pet) => id;

const fault = (index: number, member: string, detail: string): Fault => ({ pointer: `/${index}/${member}`, detail });

const toPet = (dto: PetRecordDto) =>
  newPet({
    ...v1Members(dto),
    ...v2Members({ ...dto, photoUrls: dto.photoUrls ?? [] }),
    photoUrls: dto.photoUrls ?? null,
  });

const toRecord = (pet: Pet): PetRecordDto => ({
  ...petView(pet),
  ...petV2View(pet),
  photoUrls: pet.photoUrls ?? undefined,
});
