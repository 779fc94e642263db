import { ApiSchema } from '@nestjs/swagger';
import type { Int64 } from '../../common/json';
import { IsInt64, IsName, IsNested, IsNestedList, IsOneOf, IsText, IsTextList, Meaning, MayBeAbsent } from '../../http';

export const PET_STATUSES = ['available', 'pending', 'sold'] as const;

/** A category or a tag. */
@ApiSchema({ name: 'Label' })
export class LabelDto {
  @MayBeAbsent() @IsInt64() id?: Int64;
  @MayBeAbsent() @IsText() name?: string;
}

/** Body of PUT /v2/pet, the whole v2 representation of a pet. */
@ApiSchema({ name: 'UpdatePet' })
export class UpdatePetDto {
  @Meaning('Of the pet to update') @IsInt64(1n) id: Int64;
  @IsName() name: string;
  @IsTextList(2_048, 100) photoUrls: string[];
  @MayBeAbsent() @IsNested(() => LabelDto) category?: LabelDto;
  @MayBeAbsent() @IsNestedList(() => LabelDto, 100) tags?: LabelDto[];
  @Meaning('Pet status in the store') @MayBeAbsent() @IsOneOf(PET_STATUSES) status?: string;
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
