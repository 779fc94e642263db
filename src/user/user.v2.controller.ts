import { Body, Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, BearerGuard } from '../auth';
import { VALIDATION_FAILED } from '../common/problem';
import { ClientGone, Raises } from '../http';
import { CreateUserDto, createUsersExamples } from './dto/create-user.dto';
import { UserListPipe } from './user-list.pipe';
import { createOperation } from './user.docs';
import { USER_TAKEN } from './user.problems';
import { UserService } from './user.service';

@ApiTags('user')
@Controller({ path: 'user', version: '2' })
@UseGuards(BearerGuard)
export class UserV2Controller {
  constructor(private readonly users: UserService) {}

  @ApiOperation({ ...createOperation, operationId: 'createUsersWithList', summary: 'Create users from a list' })
  @ApiBody({ type: [CreateUserDto], examples: createUsersExamples })
  @ApiOkResponse({ description: 'All users are created' })
  @Raises(VALIDATION_FAILED, USER_TAKEN)
  @Post('createWithList')
  @HttpCode(200)
  @Access('userCreation')
  createWithList(@Body(UserListPipe) users: CreateUserDto[], @ClientGone() signal: AbortSignal): Promise<void> {
    return this.users.createAll(users, signal);
  }

  @ApiOperation({ ...createOperation, operationId: 'createUsersWithArray', summary: 'Create users from an array' })
  @ApiBody({ type: [CreateUserDto], examples: createUsersExamples })
  @ApiOkResponse({ description: 'All users are created' })
  @Raises(VALIDATION_FAILED, USER_TAKEN)
  @Post('createWithArray')
  @HttpCode(200)
  @Access('userCreation')
  createWithArray(@Body(UserListPipe) users: CreateUserDto[], @ClientGone() signal: AbortSignal): Promise<void> {
    return this.users.createAll(users, signal);
  }
}
