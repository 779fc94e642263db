import { Body, Controller, Delete, Get, Header, Param, Post, Put, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { bearerToken } from '../auth';
import type { Client } from '../platform/common/client';
import {
  Changed,
  Conditions,
  Created,
  Current,
  CurrentCaller,
  CurrentClient,
  Endpoint,
  RequestConditions,
  type Caller,
  type EndpointOptions,
} from '../platform/http';
import { CurrentAttempt, type Attempt } from '../platform/idempotency';
import { CreateUserDto, createUserExamples, createUsersExamples } from './dto/create-user.dto';
import { UpdateUserDto, updateUserExamples } from './dto/update-user.dto';
import { UserPath } from './dto/user-path.dto';
import { userExample, UserView } from './dto/user.view';
import { OwnUserService } from './own-user.service';
import { UserListPipe } from './user-list.pipe';
import { NOT_THAT_USER, USER_TAKEN } from './user.problems';
import { UserService } from './user.service';

const bulkCreation = {
  access: 'userCreation',
  description:
    'Stores all users or none, and never overwrites one. The server assigns an id where it is absent or 0. ' +
    'A user without username or password is stored and can never log in.',
  examples: createUsersExamples,
  answer: { status: 200, description: 'All users are created' },
  problems: [USER_TAKEN],
} satisfies EndpointOptions;

@ApiTags('user')
@Controller({ path: 'user', version: '2' })
export class UserV2Controller {
  constructor(
    private readonly users: UserService,
    private readonly own: OwnUserService,
  ) {}

  @Post()
  @Endpoint({
    access: 'userCreation',
    summary: 'Create a user',
    description:
      'Never overwrites one. The server assigns an id where it is absent or 0. ' +
      'A user without username or password is stored and can never log in.',
    examples: createUserExamples,
    answer: {
      status: 200,
      type: UserView,
      description: 'The user as stored; absent members are left out',
      example: userExample,
      headers: {
        'Content-Location': {
          description: 'Where the user can read it; not without a username',
          schema: { type: 'string' },
        },
      },
    },
    problems: [USER_TAKEN],
    returns: Created,
  })
  async createUser(
    @Body() body: CreateUserDto,
    @CurrentClient() client: Client,
    @CurrentAttempt() attempt: Attempt | undefined,
  ): Promise<Created<UserView>> {
    const user = await this.users.create(body, client, attempt);
    const { username } = user.view;
    return new Created(user, username ? `/v2/user/${encodeURIComponent(username)}` : undefined);
  }

  @Post('createWithList')
  @Endpoint({ ...bulkCreation, operationId: 'createUsersWithListInput', summary: 'Create users from a list' })
  createWithList(
    @Body(UserListPipe) users: CreateUserDto[],
    @CurrentClient() client: Client,
    @CurrentAttempt() attempt: Attempt | undefined,
  ): Promise<void> {
    return this.users.createAll(users, client, attempt);
  }

  @Post('createWithArray')
  @Endpoint({ ...bulkCreation, operationId: 'createUsersWithArrayInput', summary: 'Create users from an array' })
  createWithArray(
    @Body(UserListPipe) users: CreateUserDto[],
    @CurrentClient() client: Client,
    @CurrentAttempt() attempt: Attempt | undefined,
  ): Promise<void> {
    return this.users.createAll(users, client, attempt);
  }

  @Get(':username')
  @Header('Cache-Control', 'no-store')
  @Endpoint({
    access: 'token',
    operationId: 'getUserByName',
    summary: 'Read oneself',
    description: 'Any other name is answered by 403, whether there is such a user or not.',
    answer: {
      type: UserView,
      description: 'The user whom the token is of, as PUT accepts it',
      example: userExample,
      headers: { 'Cache-Control': { required: true, schema: { type: 'string', pattern: '^no-store$' } } },
    },
    problems: [NOT_THAT_USER],
    returns: Current,
  })
  async getUserByName(@Param() { username }: UserPath, @CurrentCaller() caller: Caller): Promise<Current<UserView>> {
    return new Current(await this.own.get(caller, username));
  }

  @Put(':username')
  @Endpoint({
    access: 'token',
    summary: 'Change oneself',
    description:
      'Replaces the user whole: members that are absent are cleared, but for `id`, `username` and `password`, which stay. ' +
      'A new password ends all sessions but the one that sets it; a new username ends none.',
    examples: updateUserExamples,
    answer: { description: 'The user is changed' },
    problems: [NOT_THAT_USER, USER_TAKEN],
    returns: Changed,
  })
  async updateUser(
    @Param() { username }: UserPath,
    @Body() dto: UpdateUserDto,
    @CurrentCaller() caller: Caller,
    @RequestConditions() conditions: Conditions,
    @CurrentClient() client: Client,
    @Req() req: Request,
  ): Promise<Changed> {
    const token = bearerToken(req.headersDistinct.authorization)!;
    return new Changed(await this.own.update(caller, { username, dto, token }, conditions, client));
  }

  @Delete(':username')
  @Endpoint({
    access: 'token',
    summary: 'Delete oneself',
    description: 'Ends all sessions and frees the username; nothing of the user stays.',
    answer: { description: 'The user is deleted' },
    problems: [NOT_THAT_USER],
    returns: Changed,
  })
  async deleteUser(
    @Param() { username }: UserPath,
    @CurrentCaller() caller: Caller,
    @RequestConditions() conditions: Conditions,
  ): Promise<Changed> {
    return new Changed(await this.own.delete(caller, username, conditions));
  }
}
