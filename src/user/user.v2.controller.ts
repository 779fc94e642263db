import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Client } from '../common/client';
import { CurrentClient, Endpoint, type EndpointOptions } from '../http';
import { createUsersExamples, type CreateUserDto } from './dto/create-user.dto';
import { UserListPipe } from './user-list.pipe';
import { USER_TAKEN } from './user.problems';
import { UserService } from './user.service';

const bulkCreation = {
  access: 'userCreation',
  description:
    'Stores all users or none, and never overwrites one. The server assigns an id where it is absent or 0. ' +
    'A user without username or password is stored and can never log in.',
  examples: createUsersExamples,
  repeatable: true,
  answer: { description: 'All users are created' },
  problems: [USER_TAKEN],
} satisfies EndpointOptions;

@ApiTags('user')
@Controller({ path: 'user', version: '2' })
export class UserV2Controller {
  constructor(private readonly users: UserService) {}

  @Post('createWithList')
  @Endpoint({ ...bulkCreation, operationId: 'createUsersWithList', summary: 'Create users from a list' })
  createWithList(@Body(UserListPipe) users: CreateUserDto[], @CurrentClient() client: Client): Promise<void> {
    return this.users.createAll(users, client);
  }

  @Post('createWithArray')
  @Endpoint({ ...bulkCreation, operationId: 'createUsersWithArray', summary: 'Create users from an array' })
  createWithArray(@Body(UserListPipe) users: CreateUserDto[], @CurrentClient() client: Client): Promise<void> {
    return this.users.createAll(users, client);
  }
}
