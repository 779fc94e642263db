import {
  ArgumentsHost,
  BadRequestException,
  Catch,
  ConflictException,
  Controller,
  ForbiddenException,
  Get,
  Header,
  HttpException,
  ImATeapotException,
  Injectable,
  InternalServerErrorException,
  MethodNotAllowedException,
  Module,
  NotFoundException,
  Param,
  Res,
  ServiceUnavailableException,
  UnauthorizedException,
  UnprocessableEntityException,
  UseFilters,
  UseGuards,
  type CanActivate,
  type ExceptionFilter,
  type ExecutionContext,
} from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import type { Response } from 'express';
import { NOT_FOUND, Overloaded, Problem, ValidationFailed } from '../../src/platform/common/problem';
import { Endpoint } from '../../src/platform/http';
import { startApp, type RunningApp } from '../support/start-app';
import { startBoth, type Both } from '../support/plain-nest';

const circular: Record<string, unknown> = { message: 'round', kept: 1 };
circular.self = circular;
class Account {
  name = 'tess';
  password = 'hidden';
  toJSON() {
    return { name: this.name };
  }
}

/** Each as a handler of a module throws it. */
const THROWN: Record<string, () => unknown> = {
  conflict: () => new ConflictException('taken'),
  'without-a-word': () => new ConflictException(),
  empty: () => new HttpException('', 409),
  unauthorized: () => new UnauthorizedException('who?'),
  forbidden: () => new ForbiddenException('no'),
  'not-found': () => new NotFoundException('No such shelter'),
  'not-allowed': () => new MethodNotAllowedException('not this'),
  teapot: () => new ImATeapotException('short and stout'),
  unprocessable: () => new UnprocessableEntityException('odd'),
  'too-many': () => new HttpException('later', 429),
  list: () => new BadRequestException(['a is missing', 'b is odd']),
  grouped: () => new BadRequestException({ message: { a: ['is missing'] }, error: 'Bad Request', statusCode: 400 }),
  code: () => new ConflictException('taken', { errorCode: 'TAKEN' }),
  cause: () => new ConflictException('taken', { cause: new Error('canary') }),
  object: () => new HttpException({ message: 'broke', balance: 7, nested: { deep: ['x'] } }, 402),
  nameless: () => new HttpException({ left: 3 }, 410),
  'object-503': () => new ServiceUnavailableException({ info: { disk: 'full' }, details: { disk: 'full' } }),
  'message-503': () => new ServiceUnavailableException('canary'),
  'message-500': () => new InternalServerErrorException('canary'),
  'unknown-status': () => new HttpException('odd', 499),
  redirect: () => new HttpException('', 304),
  hidden: () => new HttpException({ account: new Account() } as never, 409),
  http: () => Object.assign(new Error('too big'), { status: 413, statusCode: 413, expose: true }),
  'http-hidden': () => Object.assign(new Error('/home/canary'), { status: 403, statusCode: 403, expose: false }),
  'http-plain': () => ({ statusCode: 404, message: 'of a middleware' }),
  'status-of-another': () => Object.assign(new Error('canary'), { status: 404, response: { status: 404 } }),
  error: () => new Error('canary'),
  text: () => 'canary',
  nothing: () => null,
  undefined: () => undefined,
  control: () => new ConflictException('a\u0000b\r\nSet-Cookie: c'),
  huge: () => new ConflictException('x'.repeat(1_000_000)),
};
/** Under which a plain application answers none, ends, or tells too much. */
const HOSTILE: Record<string, () => unknown> = {
  circular: () => new HttpException(circular, 409),
  bigint: () => new HttpException({ id: 9_223_372_036_854_775_807n } as never, 409),
  getter: () => new HttpException(Object.defineProperty({}, 'x', { enumerable: true, get: throwing }), 409),
  'status-getter': () => Object.defineProperty(new Error('canary'), 'statusCode', { get: throwing }),
  'status-0': () => new HttpException('odd', 0),
  'status-none': () => new HttpException('odd', NaN),
  'status-text': () => new HttpException('odd', '409' as never),
  'own-members': () => new HttpException({ type: 'x', title: 'x', status: 200, requestId: 'x', errors: 1, ok: 2 }, 409),
};
function throwing(): never {
  throw new Error('canary');
}

@Injectable()
class Never implements CanActivate {
  canActivate = (context: ExecutionContext) => {
    context.switchToHttp().getResponse<Response>().set('Retry-After', '7');
    return false;
  };
}
@Catch()
class Theirs extends BaseExceptionFilter {}
@Catch(HttpException)
class Documented implements ExceptionFilter<HttpException> {
  catch(exception: HttpException, host: ArgumentsHost) {
    const status = exception.getStatus();
    host.switchToHttp().getResponse<Response>().status(status).json({ statusCode: status, said: exception.message });
  }
}
const PROBLEMS: Record<string, () => Problem> = {
  missing: () => new Problem(NOT_FOUND, 'There is no such book.'),
  invalid: () => new ValidationFailed([{ pointer: '/a', detail: 'is missing' }]),
  overloaded: () => new Overloaded(),
};

@Controller('thrown')
class ThrowingController {
  @Get('by/handler/:what')
  @Endpoint({ access: 'anyone' })
  throw(@Param('what') what: string) {
    throw (THROWN[what] ?? HOSTILE[what])!();
  }

  @Get('by/guard')
  @UseGuards(Never)
  @Endpoint({ access: 'anyone' })
  guarded() {}

  @Get('late/:what')
  @Header('Content-Type', 'text/plain')
  @Endpoint({ access: 'anyone' })
  late(@Res() res: Response, @Param('what') what: string) {
    res.write('half');
    if (what === 'whole') {
      res.end();
    }
    throw new Error('canary');
  }

  @Get('filtered/:what')
  @UseFilters(Theirs)
  @Endpoint({ access: 'anyone' })
  filtered(@Param('what') what: string) {
    throw PROBLEMS[what]!();
  }

  @Get('documented/:what')
  @UseFilters(Documented)
  @Endpoint({ access: 'anyone' })
  documented(@Param('what') what: string) {
    throw PROBLEMS[what]!();
  }
}
@Module({ controllers: [ThrowingController] })
class ThrowingModule {}

let both: Both;
let running: RunningApp;
beforeAll(async () => {
  both = await startBoth(ThrowingModule);
  running = await startApp({}, undefined, undefined, [ThrowingModule]);
});
afterAll(() => Promise.all([both.stop(), running.stop()]));

it.each(Object.keys(THROWN))('%s: is told as plain Nest tells it', async (what) => {
  const { plain, ours } = await both.ask(`/thrown/by/handler/${what}`);
  expect(ours).toEqual(plain);
});

it('a guard that denies: 403, with what it set on the answer', async () => {
  const { plain, ours } = await both.ask('/thrown/by/guard');
  expect(ours).toEqual(plain);
  expect(ours).toMatchObject({ status: 403, headers: { 'retry-after': '7' } });
});

it('answers a problem of the same status, without a type of its own', async () => {
  const { body, headers } = await running.http.get('/thrown/by/handler/not-found').expect(404);
  const requestId = headers['x-request-id'];
  expect(body).toEqual({ type: 'about:blank', title: 'Not Found', status: 404, detail: 'No such shelter', requestId });
  expect(headers['content-type']).toBe('application/problem+json; charset=utf-8');
  const { body: failed } = await running.http.get('/thrown/by/handler/error').expect(500);
  expect(failed).toMatchObject({ type: '/problems/internal-error' });
  expect((await running.http.get('/thrown/by/handler/not-allowed').expect(405)).headers.allow).toBe(
    'GET, HEAD, OPTIONS',
  );
});

it.each(Object.keys(THROWN))('%s: says nothing of a cause', async (what) => {
  const { text } = await running.http.get(`/thrown/by/handler/${what}`);
  expect(text).not.toMatch(/canary|hidden/);
});

it.each([
  ['circular', 409, { detail: 'round' }],
  ['bigint', 409, { detail: 'Conflict' }],
  ['getter', 409, { detail: 'Conflict' }],
  ['status-getter', 500, { type: '/problems/internal-error' }],
  ['status-0', 500, {}],
  ['status-none', 500, {}],
  ['status-text', 500, {}],
  ['own-members', 409, { type: 'about:blank', title: 'Conflict', status: 409, ok: 2 }],
])('%s: is answered all the same', async (what, status, body) => {
  const answer = await running.http.get(`/thrown/by/handler/${what}`).expect(status);
  expect(answer.body).toMatchObject({ ...body, status, requestId: answer.headers['x-request-id'] });
  expect(answer.text).not.toContain('canary');
});

it('shows a bigint exactly', async () => {
  const { text } = await running.http.get('/thrown/by/handler/bigint');
  expect(text).toContain('"id":9223372036854775807');
});

it('lets an answer that was whole before the failure arrive, and cuts off half of one', async () => {
  expect((await running.http.get('/thrown/late/whole').expect(200)).text).toBe('half');
  await expect(running.http.get('/thrown/late/half')).rejects.toThrow(/aborted|hang up|ECONNRESET/);
});

it.each(['filtered', 'documented'])(
  '%s: a problem keeps its status and members under a filter of Nest',
  async (way) => {
    for (const [what, make] of Object.entries(PROBLEMS)) {
      const { status, body } = await running.http.get(`/thrown/${way}/${what}`);
      const { kind, detail, extra } = make();
      expect(status).toBe(kind.status);
      expect(body).toEqual(
        way === 'filtered'
          ? { type: kind.type, title: kind.title, status, detail, ...(extra.errors && { errors: extra.errors }) }
          : { statusCode: status, said: detail },
      );
    }
  },
);
