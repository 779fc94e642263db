import { Module } from '@nestjs/common';
import { AuthModule } from '../auth';
import { PasswordModule } from '../password';
import { OwnUserService } from './own-user.service';
import { UserRecords } from './user-records';
import { UserService } from './user.service';
import { UserV2Controller } from './user.v2.controller';

@Module({
  imports: [AuthModule, PasswordModule],
  controllers: [UserV2Controller],
  providers: [UserService, OwnUserService, UserRecords],
  exports: [UserService, UserRecords],
})
export class UserModule {}
