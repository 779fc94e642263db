import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Clock } from '../platform/common/clock';
import { Config } from '../platform/config';
import { BearerGuard } from './bearer.guard';
import { BearerStrategy } from './bearer.strategy';
import { Device } from './device.entity';
import { Devices } from './devices';
import { Passwords } from './password/passwords';
import { Session } from './session.entity';
import { SessionService } from './session.service';
import { firstOf, TokenVerifier } from './token-verifier';

/** Loaded, with the library for JWTs, only where there is an issuer. */
function jwtVerifier(oauth: NonNullable<Config['oauth']>, clock: Clock): TokenVerifier {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { JwtVerifier } = require('./jwt-verifier') as typeof import('./jwt-verifier');
  return new JwtVerifier(oauth, clock);
}

@Module({
  imports: [TypeOrmModule.forFeature([Session, Device])],
  providers: [
    SessionService,
    Devices,
    Passwords,
    BearerStrategy,
    BearerGuard,
    {
      provide: TokenVerifier,
      useFactory: ({ oauth }: Config, clock: Clock, sessions: SessionService) =>
        oauth ? firstOf(sessions, jwtVerifier(oauth, clock)) : sessions,
      inject: [Config, Clock, SessionService],
    },
  ],
  exports: [BearerGuard, SessionService, Devices, Passwords],
})
export class AuthModule {}
