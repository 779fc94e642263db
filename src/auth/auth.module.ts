import { Module } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import { Clock, systemClock } from '../common/clock';
import { DatabaseModule } from '../database/database.module';
import { BearerStrategy } from './bearer.strategy';
import { SessionService } from './session.service';

@Module({
  imports: [DatabaseModule, PassportModule],
  providers: [SessionService, BearerStrategy, { provide: Clock, useValue: systemClock }],
  exports: [SessionService, Clock],
})
export class AuthModule {}
