import { Module } from '@nestjs/common';
import { AuthModule } from '../auth';
import { PasswordModule } from '../password';
import { UserModule } from '../user';
import { LogInService } from './log-in.service';
import { LogInV2Controller } from './log-in.v2.controller';
import { LoginThrottle } from './login-throttle';

@Module({
  imports: [AuthModule, PasswordModule, UserModule],
  controllers: [LogInV2Controller],
  providers: [LogInService, LoginThrottle],
})
export class LogInModule {}
