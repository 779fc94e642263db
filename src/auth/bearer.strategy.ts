import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Passport } from 'passport';
import { Strategy, type VerifyFunction } from 'passport-http-bearer';
import { bearerToken } from './bearer-token';
import type { Caller } from '../platform/http';
import { TokenVerifier } from './token-verifier';

/** What a strategy makes of a request: who calls, or the challenge to refuse with. */
export interface Verdict {
  caller?: Caller;
  challenge?: string;
}

/**
 * passport-http-bearer would also accept `access_token` from the query or the body, and tokens that are none: it is
 * shown one header, and what is a token is said by bearerToken, which throws MalformedAuthorization.
 */
class HeaderOnlyStrategy extends Strategy<VerifyFunction> {
  override authenticate(req: Request, options?: object): void {
    const token = bearerToken(req.headersDistinct.authorization);
    super.authenticate({ headers: token === null ? {} : { authorization: `Bearer ${token}` } } as Request, options);
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
        fail: (challenge: string) => resolve({ challenge }),
        error: reject,
      });
      asked.authenticate(req);
    });
  }
}
