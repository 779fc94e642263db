import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import type { Int64 } from '../../common/json';
import type { Pet } from '../pet.entity';

@ApiSchema({ name: 'PetOwner' })
export class OwnerView {
  @ApiPropertyOptional() id?: string;
  @ApiPropertyOptional() name?: string;
  @ApiPropertyOptional() species?: string;
}

/** What POST /v1/pet answers; absent members are left out. */
@ApiSchema({ name: 'Pet' })
export class PetView {
  @ApiProperty({ type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) id: Int64;
  @ApiProperty() name: string;
  @ApiPropertyOptional() owner_id?: string;
  @ApiPropertyOptional() owner?: OwnerView;
  @ApiPropertyOptional() species?: string;
  @ApiPropertyOptional() breed?: string;
}

export const petExample: PetView = { id: 1, name: 'Rex', owner_id: 'o-1', species: 'dog', breed: 'Beagle' };

export function petView(pet: Pet): PetView {
  return {
    id: pet.id,
    name: pet.name,
    owner_id: pet.ownerId ?? undefined,
    owner: pet.owner ?? undefined,
    species: pet.species ?? undefined,
    breed: pet.breed ?? undefined,
  };
}
