import type { Int64 } from '../../common/json';
import { IsInt32, IsInt64, IsSecret, IsText, Optional } from '../../common/rules';

/** One element of the bulk creations' body. */
export class CreateUserDto {
  @Optional() @IsInt64(0n) id?: Int64;
  @Optional() @IsText() username?: string;
  @Optional() @IsText() firstName?: string;
  @Optional() @IsText() lastName?: string;
  @Optional() @IsText() email?: string;
  @Optional() @IsSecret(1_024) password?: string;
  @Optional() @IsText() phone?: string;
  @Optional() @IsInt32() userStatus?: number;
}
