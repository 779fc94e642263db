import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { Config } from '../config';
import { DoorClosed, InvalidToken, MissingToken } from './auth.problems';
import { BearerStrategy } from './bearer.strategy';
import type { Caller } from './caller';

/**
 * Stands before every operation and lets in whom its access names; nothing is open that does not say so.
 * Raises MissingToken, InvalidToken (401), MalformedAuthorization (400), DoorClosed (403).
 */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(
    private readonly strategy: BearerStrategy,
    private readonly config: Config,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const req = context.switchToHttp().getRequest<Request & { user?: Caller }>();
    const access = req.operation?.access ?? 'token';
    const door = access === 'anyone' ? 'open' : access === 'token' ? 'token' : this.config.doors[access];
    if (door === 'closed') {
      throw new DoorClosed();
    }
    return door === 'open' || this.admit(req);
  }

  private async admit(req: Request & { user?: Caller }): Promise<true> {
    const { caller, challenge } = await this.strategy.judge(req);
    if (caller) {
      req.user = caller;
      return true;
    }
    throw challenge?.includes('invalid_token') ? new InvalidToken() : new MissingToken();
  }
}
