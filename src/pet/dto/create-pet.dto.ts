import { ApiSchema } from '@nestjs/swagger';
import { IsName, IsNested, IsText, Meaning, MayBeAbsent } from '../../platform/http';

@ApiSchema({ name: 'Owner' })
export class OwnerDto {
  @MayBeAbsent() @IsText() id?: string;
  @MayBeAbsent() @IsText() name?: string;
  @MayBeAbsent() @IsText() species?: string;
}

/** Body of POST /v1/pet. The owner comes as an id or as a nested object. */
@ApiSchema({ name: 'CreatePet' })
export class CreatePetDto {
  @IsName() name: string;
  @Meaning('Id of the user who owns the pet') @MayBeAbsent() @IsText() owner_id?: string;
  @MayBeAbsent() @IsNested(() => OwnerDto) owner?: OwnerDto;
  @MayBeAbsent() @IsText() species?: string;
  @MayBeAbsent() @IsText() breed?: string;
}

export const createPetExamples = {
  ownerId: { summary: 'The owner as an id', value: { name: 'Rex', owner_id: 'o-1', species: 'dog', breed: 'Beagle' } },
  owner: {
    summary: 'The owner as a nested object',
    value: { name: 'Rex', owner: { id: 'o-1', name: 'Ann', species: 'human' }, breed: 'Beagle' },
  },
} satisfies Record<string, { summary: string; value: CreatePetDto }>;
