import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Clock } from '../common/clock';
import { Config } from '../config';
import { BearerGuard } from './bearer.guard';
import { BearerStrategy } from './bearer.strategy';
import { Devices } from './devices';
import { JwtVerifier } from './jwt-verifier';
import { SessionService } from './session.service';
import { firstOf, TokenVerifier } from './token-verifier';

@Module({
  providers: [
    SessionService,
    Devices,
    BearerStrategy,
    { provide: APP_GUARD, useClass: BearerGuard },
    {
      provide: TokenVerifier,
      useFactory: ({ oauth }: Config, clock: Clock, sessions: SessionService) =>
        oauth ? firstOf(sessions, new JwtVerifier(oauth, clock)) : sessions,
      inject: [Config, Clock, SessionService],
    },
  ],
  exports: [SessionService, Devices],
})
export class AuthModule {}
