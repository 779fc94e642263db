import { IsIn } from 'class-validator';
import type { Int64 } from '../../common/json';
import { IsInt64, IsName, IsNested, IsNestedList, IsText, IsTextList, Optional } from '../../common/rules';

export const PET_STATUSES = ['available', 'pending', 'sold'] as const;

export class LabelDto {
  @Optional() @IsInt64() id?: Int64;
  @Optional() @IsText() name?: string;
}

/** Body of PUT /v2/pet, the whole v2 representation of a pet. */
export class UpdatePetDto {
  @IsInt64(1n) id: Int64;
  @IsName() name: string;
  @IsTextList(2_048, 100) photoUrls: string[];
  @Optional() @IsNested(() => LabelDto) category?: LabelDto;
  @Optional() @IsNestedList(() => LabelDto, 100) tags?: LabelDto[];
  @Optional() @IsIn(PET_STATUSES, { message: `must be one of ${PET_STATUSES.join(', ')}` }) status?: string;
}
