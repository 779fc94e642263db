import { applyDecorators, Injectable, SetMetadata, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import { ApiSecurity } from '@nestjs/swagger';
import { Raises } from '../http';
import { Config } from '../config';
import {
  CLOSED,
  DoorClosed,
  INSUFFICIENT_SCOPE,
  InvalidToken,
  ISSUER_UNAVAILABLE,
  MALFORMED_AUTHORIZATION,
  MalformedAuthorization,
  MissingToken,
  UNAUTHORIZED,
} from './auth.problems';

export const ACCESS = 'access';

/** Who may call: anyone, the holder of a token, or whoever the operator's setting for that door says. */
export type AccessRule = 'anyone' | 'token' | keyof Config['doors'];

/** Written on every handler; a handler without it takes a token. The OpenAPI document says what follows from it. */
export const Access = (rule: AccessRule) => applyDecorators(SetMetadata(ACCESS, rule), ...consequences(rule));

function consequences(rule: AccessRule): MethodDecorator[] {
  const token = [
    ApiSecurity('bearer'),
    Raises(UNAUTHORIZED, MALFORMED_AUTHORIZATION, INSUFFICIENT_SCOPE, ISSUER_UNAVAILABLE),
  ];
  if (rule === 'anyone') {
    return [];
  }
  // Whether a door stands open is the operator's choice: a client may be asked for a token there, or not.
  return rule === 'token' ? token : [...token, ApiSecurity({}), Raises(CLOSED)];
}

/** Lets in whom a handler's Access rule names. Raises MissingToken, InvalidToken (401), MalformedAuthorization (400). */
@Injectable()
export class BearerGuard extends AuthGuard('bearer') {
  constructor(
    private readonly reflector: Reflector,
    private readonly config: Config,
  ) {
    super();
  }

  override canActivate(context: ExecutionContext) {
    const rule = this.reflector.get<AccessRule | undefined>(ACCESS, context.getHandler()) ?? 'token';
    const door = rule === 'anyone' ? 'open' : rule === 'token' ? 'token' : this.config.doors[rule];
    if (door === 'closed') {
      throw new DoorClosed();
    }
    return door === 'open' || super.canActivate(context);
  }

  /** `info` is the challenge, `status` is 400 where the header is malformed; Nest's own guard drops both. */
  override handleRequest<T>(error: unknown, user: T | false, info: unknown, _: ExecutionContext, status?: unknown): T {
    if (error) {
      throw error as Error;
    }
    if (user) {
      return user;
    }
    if (status === 400) {
      throw new MalformedAuthorization();
    }
    throw String(info).includes('invalid_token') ? new InvalidToken() : new MissingToken();
  }
}
