import { ApiSchema } from '@nestjs/swagger';
import type { Int64 } from '../../common/json';
import { IsInt64, IsName, IsNested, IsNestedList, IsOneOf, IsText, IsTextList, Meaning, Optional } from '../../http';

export const PET_STATUSES = ['available', 'pending', 'sold'] as const;

/** A category or a tag. */
@ApiSchema({ name: 'Label' })
export class LabelDto {
  @Optional() @IsInt64() id?: Int64;
  @Optional() @IsText() name?: string;
}

/** Body of PUT /v2/pet, the whole v2 representation of a pet. */
@ApiSchema({ name: 'UpdatePet' })
export class UpdatePetDto {
  @Meaning('Of the pet to update') @IsInt64(1n) id: Int64;
  @IsName() name: string;
  @IsTextList(2_048, 100) photoUrls: string[];
  @Optional() @IsNested(() => LabelDto) category?: LabelDto;
  @Optional() @IsNestedList(() => LabelDto, 100) tags?: LabelDto[];
  @Meaning('Pet status in the store') @Optional() @IsOneOf(PET_STATUSES) status?: string;
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
