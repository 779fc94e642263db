import { Module } from '@nestjs/common';
import { PasswordModule } from '../password';
import { UserService } from './user.service';
import { UserV2Controller } from './user.v2.controller';

@Module({
  imports: [PasswordModule],
  controllers: [UserV2Controller],
  providers: [UserService],
  exports: [UserService],
})
export class UserModule {}
