import { Module } from '@nestjs/common';
import { PassportModule } from '@nestjs/passport';
import { Clock } from '../common/clock';
import { Config } from '../config';
import { BearerStrategy } from './bearer.strategy';
import { JwtVerifier } from './jwt-verifier';
import { SessionService } from './session.service';
import { firstOf, TokenVerifier } from './token-verifier';

@Module({
  imports: [PassportModule],
  providers: [
    SessionService,
    BearerStrategy,
    {
      provide: TokenVerifier,
      useFactory: ({ oauth }: Config, clock: Clock, sessions: SessionService) =>
        oauth ? firstOf(sessions, new JwtVerifier(oauth, clock)) : sessions,
      inject: [Config, Clock, SessionService],
    },
  ],
  exports: [SessionService],
})
export class AuthModule {}
