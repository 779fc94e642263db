import { ApiSchema } from '@nestjs/swagger';
import type { Int64 } from '../../platform/common/json';
import {
  IsInt64,
  IsName,
  IsNested,
  IsNestedList,
  IsOneOf,
  IsText,
  IsTextList,
  Meaning,
  MayBeAbsent,
} from '../../platform/http';

export const PET_STATUSES = ['available', 'pending', 'sold'] as const;

/** A category or a tag. */
@ApiSchema({ name: 'Label' })
export class LabelDto {
  @MayBeAbsent() @IsInt64() id?: Int64;
  @MayBeAbsent() @IsText() name?: string;
}

/** The v2 representation of a pet, but for its id. */
class PetMembersDto {
  @IsName() name: string;
  @IsTextList(2_048, 100) photoUrls: string[];
  @MayBeAbsent() @IsNested(() => LabelDto) category?: LabelDto;
  @MayBeAbsent() @IsNestedList(() => LabelDto, 100) tags?: LabelDto[];
  @Meaning('Pet status in the store') @MayBeAbsent() @IsOneOf(PET_STATUSES) status?: string;
}

/** Body of PUT /v2/pet, the whole v2 representation of a pet. */
@ApiSchema({ name: 'UpdatePet' })
export class UpdatePetDto extends PetMembersDto {
  @Meaning('Of the pet to update') @IsInt64(1n) id: Int64;
}

/** Body of POST /v2/pet. */
@ApiSchema({ name: 'AddPet' })
export class AddPetDto extends PetMembersDto {
  @Meaning('Kept if no pet has it; absent or 0: the server gives one') @MayBeAbsent() @IsInt64(0n) id?: Int64;
}

/** Form or query of POST /v2/pet/{petId}. */
@ApiSchema({ name: 'UpdatePetWithForm' })
export class UpdatePetWithFormDto {
  @Meaning('Updated name of the pet') @MayBeAbsent() @IsName() name?: string;
  @Meaning('Updated status of the pet') @MayBeAbsent() @IsOneOf(PET_STATUSES) status?: string;
}

export const updatePetExamples = {
  whole: {
    summary: 'Every member',
    value: {
      id: 1,
      name: 'Max',
      photoUrls: ['https://pets.example/max.jpg'],
      category: { id: 1, name: 'dogs' },
      tags: [{ id: 1, name: 'calm' }],
      status: 'sold',
    },
  },
  least: { summary: 'The required members', value: { id: 1, name: 'Max', photoUrls: [] } },
} satisfies Record<string, { summary: string; value: UpdatePetDto }>;

export const addPetExamples = {
  whole: {
    summary: 'Every member but the id',
    value: { ...updatePetExamples.whole.value, id: undefined, status: 'available' },
  },
  least: { summary: 'The required members', value: { name: 'Max', photoUrls: [] } },
} satisfies Record<string, { summary: string; value: AddPetDto }>;
