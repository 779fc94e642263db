import { ApiSchema } from '@nestjs/swagger';
import type { Int64 } from '../../platform/common/json';
import { IsFilled, IsInt32, IsInt64, IsSecret, IsText, Meaning, MayBeAbsent } from '../../platform/http';

/** The whole user, as it is to be. */
@ApiSchema({ name: 'UpdateUser' })
export class UpdateUserDto {
  @Meaning('Stays as it is: absent, 0 or the id that the user has') @MayBeAbsent() @IsInt64() id?: Int64;
  @Meaning('Stays where it is absent; a new one by the rules of CreateUser')
  @MayBeAbsent()
  @IsFilled()
  @IsText()
  username?: string;
  @MayBeAbsent() @IsText() firstName?: string;
  @MayBeAbsent() @IsText() lastName?: string;
  @MayBeAbsent() @IsText() email?: string;
  @Meaning('Stays where it is absent') @MayBeAbsent() @IsFilled() @IsSecret(1_024) password?: string;
  @MayBeAbsent() @IsText() phone?: string;
  @Meaning('User Status; it grants nothing') @MayBeAbsent() @IsInt32() userStatus?: number;
}

export const updateUserExamples = {
  tess: {
    summary: 'All members but the password, which stays',
    value: { username: 'tess', firstName: 'Tess', lastName: 'Smith', email: 'tess@mail.example', userStatus: 1 },
  },
} satisfies Record<string, { summary: string; value: UpdateUserDto }>;
