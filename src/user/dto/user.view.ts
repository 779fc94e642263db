import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import type { Int64 } from '../../platform/common/json';
import type { User } from '../user.entity';

/** What is shown of a user, to that user; absent members are left out. Never the password, nor what is kept of it. */
@ApiSchema({ name: 'User' })
export class UserView {
  @ApiProperty({ type: 'integer', format: 'int64' }) id: Int64;
  @ApiPropertyOptional() username?: string;
  @ApiPropertyOptional() firstName?: string;
  @ApiPropertyOptional() lastName?: string;
  @ApiPropertyOptional() email?: string;
  @ApiPropertyOptional() phone?: string;
  @ApiPropertyOptional({ type: 'integer', format: 'int32' }) userStatus?: number;
}

export const userExample: UserView = {
  id: 1_000_001,
  username: 'tess',
  firstName: 'Tess',
  email: 'tess@mail.example',
  userStatus: 1,
};

export const userView = (user: Omit<User, 'version' | 'passwordHash'>): UserView => ({
  id: user.id,
  username: user.username ?? undefined,
  firstName: user.firstName ?? undefined,
  lastName: user.lastName ?? undefined,
  email: user.email ?? undefined,
  phone: user.phone ?? undefined,
  userStatus: user.userStatus ?? undefined,
});
