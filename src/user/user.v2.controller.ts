import { Body, Controller, Get, HttpCode, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import { parseCookie } from 'cookie';
import type { Request, Response } from 'express';
import { Access, BearerGuard, SessionService } from '../auth';
import type { CreateUserDto } from './dto/create-user.dto';
import { LogInDto } from './dto/log-in.dto';
import { UserListPipe } from './user-list.pipe';
import { UserService } from './user.service';

const COOKIE = 'session';
const cookieOptions = (req: Request) =>
  ({ httpOnly: true, sameSite: 'strict', path: '/v2/user', secure: req.secure }) as const;

@Controller({ path: 'user', version: '2' })
@UseGuards(BearerGuard)
export class UserV2Controller {
  constructor(
    private readonly users: UserService,
    private readonly sessions: SessionService,
  ) {}

  /** Answers the bearer token: as a JSON string, or bare where the client prefers text/plain. */
  @Get('login')
  @HttpCode(200)
  @Access('anyone')
  async logIn(
    @Query() query: LogInDto,
    @Req() req: Request,
    @Res({ passthrough: true }) res: Response,
  ): Promise<string> {
    const { token, expiresAt } = await this.users.logIn(query.username, query.password, req.ip ?? '');
    res.set({ 'X-Expires-After': expiresAt.toISOString(), 'Cache-Control': 'no-store' });
    res.cookie(COOKIE, token, { ...cookieOptions(req), expires: expiresAt });
    const asText = req.accepts(['application/json', 'text/plain']) === 'text/plain';
    res.type(asText ? 'text/plain' : 'application/json');
    return asText ? token : JSON.stringify(token);
  }

  /** Ends the session of the bearer token and of the cookie; without either there is nothing to end. */
  @Get('logout')
  @HttpCode(200)
  @Access('anyone')
  async logOut(@Req() req: Request, @Res({ passthrough: true }) res: Response): Promise<void> {
    const bearer = /^Bearer +(\S+)$/i.exec(req.get('authorization') ?? '')?.[1];
    const cookie = parseCookie(req.get('cookie') ?? '')[COOKIE];
    for (const token of new Set([bearer, cookie])) {
      if (token !== undefined) {
        await this.sessions.end(token);
      }
    }
    res.set('Cache-Control', 'no-store');
    res.clearCookie(COOKIE, cookieOptions(req));
  }

  @Post('createWithList')
  @HttpCode(200)
  @Access('userCreation')
  createWithList(@Body(UserListPipe) users: CreateUserDto[]): Promise<void> {
    return this.users.createAll(users);
  }

  @Post('createWithArray')
  @HttpCode(200)
  @Access('userCreation')
  createWithArray(@Body(UserListPipe) users: CreateUserDto[]): Promise<void> {
    return this.users.createAll(users);
  }
}
