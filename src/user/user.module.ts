import { Module } from '@nestjs/common';
import { AuthModule } from '../auth';
import { DatabaseModule } from '../database/database.module';
import { LoginThrottle } from './login-throttle';
import { Passwords } from './password';
import { UserService } from './user.service';
import { UserV2Controller } from './user.v2.controller';

@Module({
  imports: [AuthModule, DatabaseModule],
  controllers: [UserV2Controller],
  providers: [UserService, Passwords, LoginThrottle],
  exports: [Passwords],
})
export class UserModule {}
