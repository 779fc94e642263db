import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { Config } from '../platform/config';
import { OperationClosed, InvalidToken, MissingToken } from './auth.problems';
import { BearerStrategy } from './bearer.strategy';
import { Problem } from '../platform/common/problem';
import { policyOf, type Caller } from '../platform/http';

/**
 * Stands before every operation and lets in whom its access names; nothing is open that does not say so. Where an
 * operation is open, a token is read only beside an Idempotency-Key, for each caller has keys of its own.
 * Messages of gateways and microservices are no operations: guards of their own say who may send them.
 * Raises MissingToken, InvalidToken (401), MalformedAuthorization (400), OperationClosed (403).
 */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(
    private readonly strategy: BearerStrategy,
    private readonly config: Config,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (context.getType() !== 'http') {
      return true;
    }
    const req = context.switchToHttp().getRequest<Request & { user?: Caller }>();
    const policy = policyOf(req.operation?.access ?? 'token', this.config);
    if (policy === 'closed') {
      throw new OperationClosed();
    }
    if (policy !== 'open') {
      return this.admit(req);
    }
    const { 'idempotency-key': key, authorization } = req.headers;
    return key === undefined || authorization === undefined || !req.operation?.repeatable || this.recognise(req);
  }

  /** Lets in a stranger too; but not where it cannot be told who calls (5xx), for a repeat must find what he made. */
  private async recognise(req: Request & { user?: Caller }): Promise<true> {
    try {
      req.user = (await this.strategy.judge(req)).caller;
    } catch (error) {
      if (!(error instanceof Problem) || error.kind.status >= 500) {
        throw error;
      }
    }
    return true;
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
