import { IsName, IsNested, IsText, Optional } from '../../common/rules';

export class OwnerDto {
  @Optional() @IsText() id?: string;
  @Optional() @IsText() name?: string;
  @Optional() @IsText() species?: string;
}

/** Body of POST /v1/pet. The owner comes as an id or as a nested object. */
export class CreatePetDto {
  @IsName() name: string;
  @Optional() @IsText() owner_id?: string;
  @Optional() @IsNested(() => OwnerDto) owner?: OwnerDto;
  @Optional() @IsText() species?: string;
  @Optional() @IsText() breed?: string;
}
