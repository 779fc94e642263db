import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Passport } from 'passport';
import { Strategy, type VerifyFunction } from 'passport-http-bearer';
import type { Caller } from './caller';
import { TokenVerifier } from './token-verifier';

/** What a strategy makes of a request: who calls, or the challenge and status (400 for a malformed header) to refuse with. */
export interface Verdict {
  caller?: Caller;
  challenge?: string;
  status?: number;
}

/** passport-http-bearer would also accept `access_token` from the query or the body; it is shown neither. */
class HeaderOnlyStrategy extends Strategy<VerifyFunction> {
  override authenticate(req: Request, options?: object): void {
    const view = Object.create(req, { body: { value: undefined }, query: { value: undefined } }) as Request;
    super.authenticate(view, options);
  }
}

/** Tells Passport whose a bearer token (RFC 6750) is. */
@Injectable()
export class BearerStrategy extends PassportStrategy(HeaderOnlyStrategy, 'bearer') {
  constructor(private readonly tokens: TokenVerifier) {
    super();
  }

  /** Passport's own registry is of the whole process: two apps in it would answer with each other's sessions. */
  getPassportInstance(): InstanceType<typeof Passport> {
    return new Passport();
  }

  async validate(token: string): Promise<Caller | false> {
    return (await this.tokens.verify(token)) ?? false;
  }

  /**
   * Asks about one request, by Passport's protocol: each request has a strategy of its own, made from this one, whose
   * `success`, `fail` and `error` tell the verdict.
   */
  judge(req: Request): Promise<Verdict> {
    return new Promise((resolve, reject) => {
      const asked = Object.assign(Object.create(this) as this, {
        success: (caller: Caller) => resolve({ caller }),
        fail: (challenge?: string | number, status?: number) =>
          resolve(typeof challenge === 'number' ? { status: challenge } : { challenge, status }),
        error: reject,
      });
      asked.authenticate(req);
    });
  }
}
