import { ApiSchema } from '@nestjs/swagger';
import type { Int64 } from '../../platform/common/json';
import { IsInt32, IsInt64, IsSecret, IsText, Meaning, MayBeAbsent } from '../../platform/http';
import { IsUsername } from '../username';

/** The body of create user, and one element of the bulk creations'. */
@ApiSchema({ name: 'CreateUser' })
export class CreateUserDto {
  @Meaning('The server assigns one where it is absent or 0') @MayBeAbsent() @IsInt64() id?: Int64;
  @MayBeAbsent() @IsUsername() username?: string;
  @MayBeAbsent() @IsText() firstName?: string;
  @MayBeAbsent() @IsText() lastName?: string;
  @MayBeAbsent() @IsText() email?: string;
  @MayBeAbsent() @IsSecret(1_024) password?: string;
  @MayBeAbsent() @IsText() phone?: string;
  @Meaning('User Status; it grants nothing') @MayBeAbsent() @IsInt32() userStatus?: number;
}

export const createUsersExamples = {
  users: {
    summary: 'One user who can log in, and one who cannot',
    value: [
      { username: 'tess', password: 'correct horse', firstName: 'Tess', email: 'tess@mail.example', userStatus: 1 },
      { id: 9_007_199_254_740_991, phone: '+1 555 0100' },
    ],
  },
} satisfies Record<string, { summary: string; value: CreateUserDto[] }>;

export const createUserExamples = {
  ann: { summary: 'A user who can log in', value: { username: 'ann', password: 'battery staple', userStatus: 1 } },
} satisfies Record<string, { summary: string; value: CreateUserDto }>;
