import { Body, Controller, Delete, Get, Param, Post, Put, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { bearerToken, CurrentCaller, type Caller } from '../auth';
import type { Client } from '../common/client';
import {
  answerVersion,
  Conditions,
  CurrentClient,
  Endpoint,
  RequestConditions,
  tellVersion,
  type EndpointOptions,
} from '../http';
import { CurrentAttempt, type Attempt } from '../idempotency';
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
  answer: { description: 'All users are created' },
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
    versioned: 'made',
  })
  async createUser(
    @Body() body: CreateUserDto,
    @CurrentClient() client: Client,
    @CurrentAttempt() attempt: Attempt | undefined,
    @Res({ passthrough: true }) res: Response,
  ): Promise<UserView> {
    const { view, version } = await this.users.create(body, client, attempt);
    tellVersion(res, version);
    if (view.username) {
      res.set('Content-Location', `/v2/user/${encodeURIComponent(view.username)}`);
    }
    return view;
  }

  @Post('createWithList')
  @Endpoint({ ...bulkCreation, operationId: 'createUsersWithList', summary: 'Create users from a list' })
  createWithList(
    @Body(UserListPipe) users: CreateUserDto[],
    @CurrentClient() client: Client,
    @CurrentAttempt() attempt: Attempt | undefined,
  ): Promise<void> {
    return this.users.createAll(users, client, attempt);
  }

  @Post('createWithArray')
  @Endpoint({ ...bulkCreation, operationId: 'createUsersWithArray', summary: 'Create users from an array' })
  createWithArray(
    @Body(UserListPipe) users: CreateUserDto[],
    @CurrentClient() client: Client,
    @CurrentAttempt() attempt: Attempt | undefined,
  ): Promise<void> {
    return this.users.createAll(users, client, attempt);
  }

  @Get(':username')
  @Endpoint({
    access: 'token',
    operationId: 'getUserByName',
    summary: 'Read oneself',
    answer: { type: UserView, description: 'The user whom the token is of, as PUT accepts it', example: userExample },
    problems: [NOT_THAT_USER],
    versioned: 'read',
  })
  async getUserByName(
    @Param() { username }: UserPath,
    @CurrentCaller() caller: Caller,
    @RequestConditions() conditions: Conditions,
    @Res({ passthrough: true }) res: Response,
  ): Promise<UserView | undefined> {
    return answerVersion(res, await this.own.get(caller, username), conditions);
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
    versioned: 'changed',
  })
  async updateUser(
    @Param() { username }: UserPath,
    @Body() dto: UpdateUserDto,
    @CurrentCaller() caller: Caller,
    @RequestConditions() conditions: Conditions,
    @CurrentClient() client: Client,
    @Req() req: Request,
    @Res({ passthrough: true }) res: Response,
  ): Promise<void> {
    const token = bearerToken(req.headersDistinct.authorization)!;
    tellVersion(res, await this.own.update(caller, { username, dto, token }, conditions, client));
  }

  @Delete(':username')
  @Endpoint({
    access: 'token',
    summary: 'Delete oneself',
    description: 'Ends all sessions and frees the username; nothing of the user stays.',
    answer: { description: 'The user is deleted' },
    problems: [NOT_THAT_USER],
    versioned: 'changed',
  })
  async deleteUser(
    @Param() { username }: UserPath,
    @CurrentCaller() caller: Caller,
    @RequestConditions() conditions: Conditions,
    @Res({ passthrough: true }) res: Response,
  ): Promise<void> {
    tellVersion(res, await this.own.delete(caller, username, conditions));
  }
}
