import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy, type VerifyFunction } from 'passport-http-bearer';
import { TokenVerifier, type Caller } from './token-verifier';

/** passport-http-bearer would also take `access_token` from the query or the body; it is shown neither. */
class HeaderOnlyStrategy extends Strategy<VerifyFunction> {
  override authenticate(req: Request, options?: object): void {
    const view = Object.create(req, { body: { value: undefined }, query: { value: undefined } }) as Request;
    super.authenticate(view, options);
  }
}

/** Tells passport whose a bearer token (RFC 6750) is. */
@Injectable()
export class BearerStrategy extends PassportStrategy(HeaderOnlyStrategy, 'bearer') {
  constructor(private readonly tokens: TokenVerifier) {
    super();
  }

  async validate(token: string): Promise<Caller | false> {
    return (await this.tokens.verify(token)) ?? false;
  }
}
