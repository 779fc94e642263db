import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { Client } from '../common/client';
import { SessionService } from '../auth';
import { CurrentClient, Endpoint, UNAUTHORIZED } from '../http';
import { cookiesNamed } from './cookies';
import { LogInDto } from './dto/log-in.dto';
import { logInContent, logInHeaders, logOutHeaders, rateLimitHeaders } from './log-in.docs';
import { TOO_MANY_LOGINS } from './log-in.problems';
import { LogInService } from './log-in.service';

const COOKIE = 'session';
const cookieOptions = (req: Request) =>
  ({ httpOnly: true, sameSite: 'strict', path: '/v2/user', secure: req.secure }) as const;

@ApiTags('user')
@Controller({ path: 'user', version: '2' })
export class LogInV2Controller {
  constructor(
    private readonly service: LogInService,
    private readonly sessions: SessionService,
  ) {}

  /** Answers the bearer token: as a JSON string, or bare where the client prefers text/plain. */
  @Get('login')
  @Endpoint({
    access: 'anyone',
    summary: 'Log in',
    description: 'Begins a session, beside those that the user has. The answer is the bearer token for update pet.',
    head: false,
    answer: { description: 'The bearer token', headers: logInHeaders, content: logInContent },
    answers: { 401: { headers: rateLimitHeaders }, 429: { headers: rateLimitHeaders } },
    problems: [UNAUTHORIZED, TOO_MANY_LOGINS],
  })
  async logIn(
    @Query() query: LogInDto,
    @Req() req: Request,
    @Res({ passthrough: true }) res: Response,
    @CurrentClient() client: Client,
  ): Promise<string> {
    const { username, password } = query;
    const { token, expiresAt, headers } = await this.service.logIn(username, password, client);
    res.set({ ...headers, 'X-Expires-After': expiresAt.toISOString(), 'Cache-Control': 'no-store' });
    res.cookie(COOKIE, token, { ...cookieOptions(req), expires: expiresAt });
    const asText = req.accepts(['application/json', 'text/plain']) === 'text/plain';
    res.type(asText ? 'text/plain' : 'application/json');
    return asText ? token : JSON.stringify(token);
  }

  /**
   * Ends every session that the request names, however clumsily: whoever wants to log out is not told that he is, while
   * his token lives on. Without any there is nothing to end.
   */
  @Get('logout')
  @Endpoint({
    access: 'anyone',
    summary: 'Log out',
    description: 'Ends the sessions of the bearer token and of the cookie, if present, from the next request on.',
    head: false,
    security: [{ bearer: [] }, { session: [] }, {}],
    answer: { description: 'Whoever was logged in is logged out', headers: logOutHeaders },
  })
  async logOut(@Req() req: Request, @Res({ passthrough: true }) res: Response): Promise<void> {
    const { authorization = [] } = req.headersDistinct;
    await this.sessions.end([...authorization, ...cookiesNamed(COOKIE, req.headers.cookie)]);
    res.set('Cache-Control', 'no-store');
    res.clearCookie(COOKIE, cookieOptions(req));
  }
}
