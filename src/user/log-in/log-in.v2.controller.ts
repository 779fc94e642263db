import { Body, Controller, Get, Header, Post, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { Client } from '../../platform/common/client';
import { Clock } from '../../platform/common/clock';
import { SessionService } from '../../auth';
import { CurrentClient, Endpoint, publicAddress, UNAUTHORIZED, type EndpointOptions } from '../../platform/http';
import { cookiesNamed } from './cookies';
import { LogInDto, logInExamples } from './dto/log-in.dto';
import { logInContent, logInHeaders, logOutHeaders, rateLimitHeaders } from './log-in.docs';
import { TOO_MANY_LOGINS } from './log-in.problems';
import { LogInService } from './log-in.service';

const SESSION = 'session';
const DEVICE = 'device';

function cookieOptions(res: Response) {
  const { protocol, pathname } = new URL(publicAddress(res, '/v2/user'), `${res.req.protocol}://any`);
  return { httpOnly: true, sameSite: 'strict', path: pathname, secure: protocol === 'https:' } as const;
}

const logInOperation = {
  access: 'anyone',
  summary: 'Log in',
  answer: { status: 200, description: 'The bearer token', headers: logInHeaders, content: logInContent },
  answers: { 401: { headers: rateLimitHeaders }, 429: { headers: rateLimitHeaders } },
  problems: [UNAUTHORIZED, TOO_MANY_LOGINS],
} satisfies EndpointOptions;

@ApiTags('user')
@Controller({ path: 'user', version: '2' })
export class LogInV2Controller {
  constructor(
    private readonly service: LogInService,
    private readonly sessions: SessionService,
    private readonly clock: Clock,
  ) {}

  @Get('login')
  @Header('Referrer-Policy', 'no-referrer')
  @Endpoint({
    ...logInOperation,
    description: 'Begins a session, beside those that the user has. The answer is the bearer token for update pet.',
    head: false,
  })
  loginUser(
    @Query() credentials: LogInDto,
    @Req() req: Request,
    @Res({ passthrough: true }) res: Response,
    @CurrentClient() client: Client,
  ): Promise<string> {
    return this.answer(credentials, req, res, client);
  }

  @Post('login')
  @Header('Referrer-Policy', 'no-referrer')
  @Endpoint({
    ...logInOperation,
    description: 'As log in by GET, with the password in the body, where no log of addresses finds it.',
    examples: logInExamples,
  })
  loginUserWithBody(
    @Body() credentials: LogInDto,
    @Req() req: Request,
    @Res({ passthrough: true }) res: Response,
    @CurrentClient() client: Client,
  ): Promise<string> {
    return this.answer(credentials, req, res, client);
  }

  /** Answers the bearer token: as a JSON string, or bare where the client prefers text/plain. */
  private async answer({ username, password }: LogInDto, req: Request, res: Response, client: Client): Promise<string> {
    const devices = cookiesNamed(DEVICE, req.headers.cookie);
    const { token, expiresAt, device, headers } = await this.service.logIn({ username, password, devices }, client);
    res.set({ ...headers, 'X-Expires-After': expiresAt.toISOString(), 'Cache-Control': 'no-store' });
    const cookie = (name: string, value: string, expires: Date) => {
      const seconds = Math.ceil((expires.getTime() - this.clock.now()) / 1_000);
      res.cookie(name, value, { ...cookieOptions(res), maxAge: seconds * 1_000 });
    };
    cookie(SESSION, token, expiresAt);
    cookie(DEVICE, device.token, device.expiresAt);
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
  async logoutUser(@Req() req: Request, @Res({ passthrough: true }) res: Response): Promise<void> {
    const { authorization = [] } = req.headersDistinct;
    await this.sessions.end([...authorization, ...cookiesNamed(SESSION, req.headers.cookie)]);
    res.set('Cache-Control', 'no-store');
    res.cookie(SESSION, '', { ...cookieOptions(res), maxAge: 0 }); // the device stays known
  }
}
