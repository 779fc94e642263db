import { Module } from '@nestjs/common';
import { AuthModule } from '../auth';
import { PasswordModule } from '../password';
import { UserService } from './user.service';
import { UserV2Controller } from './user.v2.controller';

@Module({
  imports: [AuthModule, PasswordModule],
  controllers: [UserV2Controller],
  providers: [UserService],
  exports: [UserService],
})
export class UserModule {}
