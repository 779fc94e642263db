import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import type { Int64 } from '../../platform/common/json';
import type { Pet } from '../pet.entity';
import { PET_STATUSES } from './update-pet.dto';

@ApiSchema({ name: 'OwnerV1' })
export class OwnerView {
  @ApiPropertyOptional() id?: string;
  @ApiPropertyOptional() name?: string;
  @ApiPropertyOptional() species?: string;
}

/** What POST /v1/pet answers; absent members are left out. */
@ApiSchema({ name: 'PetV1' })
export class PetView {
  @ApiProperty({ type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) id: Int64;
  @ApiProperty() name: string;
  @ApiPropertyOptional() owner_id?: string;
  @ApiPropertyOptional() owner?: OwnerView;
  @ApiPropertyOptional() species?: string;
  @ApiPropertyOptional() breed?: string;
}

export const petExample: PetView = { id: 1, name: 'Rex', owner_id: 'o-1', species: 'dog', breed: 'Beagle' };

/** What v1 knows of a pet. */
export const V1_MEMBERS = ['id', 'name', 'ownerId', 'owner', 'species', 'breed'] as const;

export function petView(pet: Pick<Pet, (typeof V1_MEMBERS)[number]>): PetView {
  return {
    id: pet.id,
    name: pet.name,
    owner_id: pet.ownerId ?? undefined,
    owner: pet.owner ?? undefined,
    species: pet.species ?? undefined,
    breed: pet.breed ?? undefined,
  };
}

class LabelView {
  @ApiPropertyOptional({ type: 'integer', format: 'int64' }) id?: Int64;
  @ApiPropertyOptional() name?: string;
}

@ApiSchema({ name: 'Category' })
class CategoryView extends LabelView {}

@ApiSchema({ name: 'Tag' })
class TagView extends LabelView {}

/** A pet as v2 knows it; what PUT /v2/pet takes. */
@ApiSchema({ name: 'Pet' })
export class PetV2View {
  @ApiProperty({ type: 'integer', format: 'int64', minimum: 1 }) id: Int64;
  @ApiProperty() name: string;
  @ApiProperty({ type: [String] }) photoUrls: string[];
  @ApiPropertyOptional() category?: CategoryView;
  @ApiPropertyOptional({ type: [TagView] }) tags?: TagView[];
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
export function petV2View(pet: Pet): PetV2View {
  return {
    id: pet.id,
    category: pet.category ?? undefined,
    name: pet.name,
    photoUrls: pet.photoUrls ?? [],
    tags: pet.tags ?? undefined,
    status: pet.status ?? undefined,
  };
}
