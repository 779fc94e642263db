import type { Int64 } from '../../common/json';
import { IsInt64Text, IsOneOfList, IsText, IsTextListParameter, MayBeAbsent, Meaning, PageQuery } from '../../http';
import { PET_STATUSES } from './update-pet.dto';

/** Which pet a path names. */
export class PetPath {
  @Meaning('Of the pet') @IsInt64Text(1n) petId: Int64;
}

export class ListPetsQuery extends PageQuery {
  @MayBeAbsent() @IsText() owner_id?: string;
  @MayBeAbsent() @IsText() species?: string;
  @MayBeAbsent() @IsText() breed?: string;
}

export class FindPetsByStatusQuery extends PageQuery {
  @IsOneOfList(PET_STATUSES) status: string[];
}

export class FindPetsByTagsQuery extends PageQuery {
  @IsTextListParameter(255, 100) tags: string[];
}
