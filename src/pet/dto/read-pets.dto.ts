import type { Int64 } from '../../platform/common/json';
import {
  Example,
  IsInt64Text,
  IsOneOfList,
  IsText,
  IsTextListParameter,
  MayBeAbsent,
  Meaning,
  PageQuery,
} from '../../platform/http';
import { PET_STATUSES } from './update-pet.dto';

/** Which pet a path names. */
export class PetPath {
  @Meaning('Of the pet') @Example(1) @IsInt64Text(1n) petId: Int64;
}

export class ListPetsQuery extends PageQuery {
  @Example('o-1') @MayBeAbsent() @IsText() owner_id?: string;
  @Example('dog') @MayBeAbsent() @IsText() species?: string;
  @Example('Beagle') @MayBeAbsent() @IsText() breed?: string;
}

export class FindPetsByStatusQuery extends PageQuery {
  @MayBeAbsent() @IsOneOfList(PET_STATUSES, ['available']) status: string[] = ['available'];
}

export class FindPetsByTagsQuery extends PageQuery {
  @Example(['calm']) @IsTextListParameter(255, 100) tags: string[];
}
