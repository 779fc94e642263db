import { Module } from '@nestjs/common';
import { AuthModule } from '../auth';
import { PasswordModule } from '../password';
import { OwnUserService } from './own-user.service';
import { UserService } from './user.service';
import { UserV2Controller } from './user.v2.controller';

@Module({
  imports: [AuthModule, PasswordModule],
  controllers: [UserV2Controller],
  providers: [UserService, OwnUserService],
  exports: [UserService],
})
export class UserModule {}
