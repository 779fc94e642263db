import { ApiSchema } from '@nestjs/swagger';
import type { Int64 } from '../../common/json';
import { IsInt32, IsInt64, IsSecret, IsText, Meaning, Optional } from '../../http';

/** One element of the bulk creations' body. */
@ApiSchema({ name: 'CreateUser' })
export class CreateUserDto {
  @Meaning('The server assigns one where it is absent or 0') @Optional() @IsInt64(0n) id?: Int64;
  @Meaning('Compared in Unicode NFC, by letter case') @Optional() @IsText() username?: string;
  @Optional() @IsText() firstName?: string;
  @Optional() @IsText() lastName?: string;
  @Optional() @IsText() email?: string;
  @Optional() @IsSecret(1_024) password?: string;
  @Optional() @IsText() phone?: string;
  @Meaning('User Status; it grants nothing') @Optional() @IsInt32() userStatus?: number;
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
