import { Module } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Config } from '../config';
import { BearerGuard } from './bearer.guard';
import { BearerStrategy } from './bearer.strategy';
import { Devices } from './devices';
import { SessionService } from './session.service';
import { firstOf, TokenVerifier } from './token-verifier';

/** Loaded, with the library for JWTs, only where there is an issuer. */
function jwtVerifier(oauth: NonNullable<Config['oauth']>, clock: Clock): TokenVerifier {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { JwtVerifier } = require('./jwt-verifier') as typeof import('./jwt-verifier');
  return new JwtVerifier(oauth, clock);
}

@Module({
  providers: [
    SessionService,
    Devices,
    BearerStrategy,
    BearerGuard,
    {
      provide: TokenVerifier,
      useFactory: ({ oauth }: Config, clock: Clock, sessions: SessionService) =>
        oauth ? firstOf(sessions, jwtVerifier(oauth, clock)) : sessions,
      inject: [Config, Clock, SessionService],
    },
  ],
  exports: [BearerGuard, SessionService, Devices],
})
export class AuthModule {}
