import type { Int64 } from '../../platform/common/json';
import { IsInt64, IsName, IsNested, IsNestedList, IsOneOf, IsText, IsTextList, MayBeAbsent } from '../../platform/http';
import { OwnerDto } from './create-pet.dto';
import { LabelDto, PET_STATUSES } from './update-pet.dto';

/** A pet as `export` writes it and `import-pets` reads it: all that v1 and v2 know of it. */
export class PetRecordDto {
  @MayBeAbsent() @IsInt64(0n) id?: Int64;
  @IsName() name: string;
  @MayBeAbsent() @IsText() owner_id?: string;
  @MayBeAbsent() @IsNested(() => OwnerDto) owner?: OwnerDto;
  @MayBeAbsent() @IsText() species?: string;
  @MayBeAbsent() @IsText() breed?: string;
  @MayBeAbsent() @IsNested(() => LabelDto) category?: LabelDto;
  @MayBeAbsent() @IsTextList(2_048, 100) photoUrls?: string[];
  @MayBeAbsent() @IsNestedList(() => LabelDto, 100) tags?: LabelDto[];
  @MayBeAbsent() @IsOneOf(PET_STATUSES) status?: string;
}
