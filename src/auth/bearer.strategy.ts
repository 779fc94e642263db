import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy, type VerifyFunction } from 'passport-http-bearer';
import type { Session } from './session.entity';
import { SessionService } from './session.service';

/** passport-http-bearer would also take `access_token` from the query or the body; it is shown neither. */
class HeaderOnlyStrategy extends Strategy<VerifyFunction> {
  override authenticate(req: Request, options?: object): void {
    const view = Object.create(req, { body: { value: undefined }, query: { value: undefined } }) as Request;
    super.authenticate(view, options);
  }
}

/** Tells passport whose session a bearer token (RFC 6750) opens. */
@Injectable()
export class BearerStrategy extends PassportStrategy(HeaderOnlyStrategy, 'bearer') {
  constructor(private readonly sessions: SessionService) {
    super();
  }

  async validate(token: string): Promise<Session | false> {
    return (await this.sessions.find(token)) ?? false;
  }
}
