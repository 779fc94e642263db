import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthModule } from '../auth';
import { LogInService } from './log-in/log-in.service';
import { LogInV2Controller } from './log-in/log-in.v2.controller';
import { LoginFailures } from './log-in/login-failures.entity';
import { LoginThrottle } from './log-in/login-throttle';
import { NewUsers } from './new-users';
import { OwnUserService } from './own-user.service';
import { UserRecords } from './user-records';
import { User } from './user.entity';
import { UserService } from './user.service';
import { UserV2Controller } from './user.v2.controller';

@Module({
  imports: [TypeOrmModule.forFeature([User, LoginFailures]), AuthModule],
  controllers: [LogInV2Controller, UserV2Controller],
  providers: [UserService, NewUsers, OwnUserService, UserRecords, LogInService, LoginThrottle],
  exports: [UserService, UserRecords],
})
export class UserModule {}
