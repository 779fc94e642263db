import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import type { Int64 } from '../../common/json';
import type { TaggedPet, V1Pet } from '../pet-reads.sql';
import { PET_STATUSES } from './update-pet.dto';

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

export function petView(pet: V1Pet): PetView {
  return {
    id: pet.id,
    name: pet.name,
    owner_id: pet.ownerId ?? undefined,
    owner: pet.owner ?? undefined,
    species: pet.species ?? undefined,
    breed: pet.breed ?? undefined,
  };
}

@ApiSchema({ name: 'PetLabel' })
export class LabelView {
  @ApiPropertyOptional({ type: 'integer', format: 'int64' }) id?: Int64;
  @ApiPropertyOptional() name?: string;
}

/** A pet as v2 knows it; what PUT /v2/pet takes. */
@ApiSchema({ name: 'PetV2' })
export class PetV2View {
  @ApiProperty({ type: 'integer', format: 'int64', minimum: 1 }) id: Int64;
  @ApiProperty() name: string;
  @ApiProperty({ type: [String] }) photoUrls: string[];
  @ApiPropertyOptional() category?: LabelView;
  @ApiPropertyOptional({ type: [LabelView] }) tags?: LabelView[];
  @ApiPropertyOptional({ enum: PET_STATUSES }) status?: string;
}

export const petV2Example: PetV2View = {
  id: 1,
  category: { id: 1, name: 'dogs' },
  name: 'Max',
  photoUrls: ['https://pets.example/max.jpg'],
  tags: [{ id: 1, name: 'calm' }],
  status: 'available',
};

/** A pet that only v1 knows has no photos. */
export function petV2View(pet: TaggedPet): PetV2View {
  return {
    id: pet.id,
    category: pet.category ?? undefined,
    name: pet.name,
    photoUrls: pet.photoUrls ?? [],
    tags: pet.tags ?? undefined,
    status: pet.status ?? undefined,
  };
}
