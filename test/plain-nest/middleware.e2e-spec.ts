import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Body,
  Catch,
  Controller,
  Get,
  HttpException,
  Injectable,
  Module,
  NotFoundException,
  Param,
  Post,
  Req,
  RequestMethod,
  Res,
  Scope,
  UnauthorizedException,
  ValidationPipe,
  VersioningType,
  type ArgumentsHost,
  type ExceptionFilter,
  type MiddlewareConsumer,
  type NestMiddleware,
  type NestModule,
  type OnModuleInit,
  type Type,
  type VersioningOptions,
} from '@nestjs/common';
import { APP_FILTER, HttpAdapterHost } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express, { type NextFunction, type Request, type Response } from 'express';
import { Endpoint } from '../../src/platform/http';
import { startBothWith, startOurs, type Both } from '../support/plain-nest';

const open = () => Endpoint({ access: 'anyone' });

/** Notes that it ran, and what it saw. */
const note = (res: Response, what: unknown) => ((res.locals.seen ??= []) as unknown[]).push(what);
const noting = (name: string) =>
  function noting(req: Request, res: Response, next: NextFunction) {
    note(res, name);
    next();
  };
const looking = (req: Request, res: Response, next: NextFunction) => {
  const { originalUrl, baseUrl, url, path, params, query, method } = req;
  note(res, { originalUrl, baseUrl, url, path, params, query, method, route: (req.route as unknown) ?? null });
  note(res, [req.res === res, typeof req.next, (req.app as unknown) === res.app, typeof req.get('host')]);
  next();
};

@Injectable()
class Greeter {
  readonly word = 'hello';
}
@Injectable()
class ClassMiddleware implements NestMiddleware {
  constructor(private readonly greeter: Greeter) {}
  use(_: Request, res: Response, next: NextFunction) {
    note(res, this.greeter.word);
    next();
  }
}
@Injectable({ scope: Scope.REQUEST })
class ScopedMiddleware implements NestMiddleware {
  private count = 0;
  use(_: Request, res: Response, next: NextFunction) {
    note(res, (this.count += 1));
    next();
  }
}

@Controller({ path: 'seen', version: '7' })
class SeenController {
  @Get(['', 'other', 'left/out', 'some/deep/:id'])
  @open()
  seen(@Res({ passthrough: true }) { locals }: Response, @Req() { originalUrl, baseUrl, url, path }: Request) {
    return { ...locals, originalUrl, baseUrl, url, path };
  }

  @Get('route/:id')
  @open()
  route(@Req() req: Request, @Res({ passthrough: true }) { locals }: Response, @Param('id') id: string) {
    const { path, methods } = req.route as { path: string; methods: object };
    return { path, methods, id, ...locals };
  }

  @Post('made')
  @open()
  made(@Res({ passthrough: true }) { locals }: Response) {
    return { ...locals };
  }
}

@Controller('failing')
class FailingController {
  @Get(':how')
  @open()
  handler(@Param('how') how: string) {
    return how;
  }
}
const FAILURES: Record<string, (res: Response, next: NextFunction) => unknown> = {
  answers: (res) => res.status(202).json({ by: 'middleware' }),
  ends: (res) => res.status(204).end(),
  redirects: (res) => res.redirect('/elsewhere'),
  throws: () => {
    throw new UnauthorizedException('who?');
  },
  'throws-error': () => {
    throw new Error('canary');
  },
  rejects: () => Promise.reject(new HttpException({ message: 'broke', left: 1 }, 402)),
  next: (_, next) => next(new UnauthorizedException('who?')),
  'next-error': (_, next) => next(new Error('canary')),
  'next-text': (_, next) => next('canary'),
  'next-http': (_, next) => next(Object.assign(new Error('big'), { status: 413, statusCode: 413, expose: true })),
  'next-route': (_, next) => next('route'),
  'next-later': (_, next) => setTimeout(next, 5),
};
class FailingMiddleware implements NestMiddleware {
  use(req: Request, res: Response, next: NextFunction) {
    return FAILURES[req.originalUrl.split('/').at(-1)!]?.(res, next) ?? undefined;
  }
}

@Module({ controllers: [FailingController] })
class FailingModule implements NestModule {
  configure(consumer: MiddlewareConsumer) {
    consumer.apply(FailingMiddleware).forRoutes(FailingController);
  }
}

@Module({ controllers: [SeenController], providers: [Greeter] })
class SeenModule implements NestModule {
  configure(consumer: MiddlewareConsumer) {
    consumer
      .apply(ClassMiddleware, ScopedMiddleware, noting('controller'))
      .exclude('v7/seen/left/out', { path: 'v7/seen/route/{*rest}', method: RequestMethod.GET })
      .forRoutes(SeenController)
      .apply(looking)
      .forRoutes({ path: 'seen/other', method: RequestMethod.GET, version: '7' })
      .apply(noting('wild'))
      .forRoutes('v7/seen/some/*rest')
      .apply(noting('of POST'))
      .forRoutes({ path: '*all', method: RequestMethod.POST })
      .apply(noting('everywhere'), looking)
      .forRoutes('{*all}');
  }
}

@Catch(NotFoundException)
class Missing implements ExceptionFilter {
  catch(exception: NotFoundException, host: ArgumentsHost) {
    host.switchToHttp().getResponse<Response>().status(404).json({ statusCode: 404, message: 'of a filter' });
  }
}
@Module({ providers: [{ provide: APP_FILTER, useClass: Missing }] })
class MissingModule {}

/** Adds to Express itself when the module begins, as @nestjs/serve-static does. */
@Module({})
class LateModule implements OnModuleInit {
  constructor(private readonly host: HttpAdapterHost) {}
  onModuleInit() {
    const { httpAdapter } = this.host;
    httpAdapter.get('/late/raw', (_: unknown, res: Response) => res.json({ raw: true }));
    httpAdapter.use('/v7/seen/made', (_: Request, res: Response) => res.json({ behind: 'the routes' }));
    httpAdapter.use('/v7/seen', (_: Request, res: Response) => res.json({ never: true }));
  }
}

const folder = mkdtempSync(join(tmpdir(), 'static-'));
writeFileSync(join(folder, 'page.html'), '<p>page</p>');
const sub = express();
sub.get('/inner', (req, res) => {
  res.json({ sub: true, baseUrl: req.baseUrl, originalUrl: req.originalUrl, url: req.url });
});

const prepare = (app: NestExpressApplication) => {
  app.use(noting('app.use'));
  app.use('/v7', noting('app.use at /v7'), looking);
  app.use('/sub', sub);
  app.use('/old', (req: Request, _: Response, next: NextFunction) => {
    req.url = '/moved';
    next();
  });
  app.use((req: Request, _: Response, next: NextFunction) => {
    req.url = req.url.replace('/rewritten', '/v7/seen');
    next();
  });
  app.useStaticAssets(folder, { prefix: '/assets/', setHeaders: (res: Response) => res.removeHeader('Last-Modified') });
  app.enableCors({ origin: 'https://page.example', credentials: true, exposedHeaders: ['X-Own'] });
  app.getHttpAdapter().get('/raw/:id', ((req: Request, res: Response) => {
    res.json({ raw: req.params.id });
  }) as never);
};

let both: Both;
beforeAll(async () => {
  both = await startBothWith(prepare, SeenModule, FailingModule, MissingModule, LateModule);
});
afterAll(async () => {
  await both.stop();
  rmSync(folder, { recursive: true });
});

it.each([
  ...['/v7/seen', '/v7/seen?q=1', '/v7/seen/', '/v7/seen/other?a=b', '/v7/seen/left/out', '/v7/seen/some/deep/1'],
  ...['/v7/seen/route/5', 'POST /v7/seen/made', 'HEAD /v7/seen', '/rewritten/other', '/rewritten/route/1'],
  ...['/sub/inner?x=1', '/sub/none', '/old/thing', '/assets/page.html', 'HEAD /assets/page.html', '/assets/none.html'],
  ...['POST /assets/page.html', '/raw/7', '/late/raw', '/v7/seen/made', '/nothing', '/v7/nothing'],
  ...Object.keys(FAILURES).map((how) => `/failing/${how}`),
])('%s is answered as plain Nest answers it', async (request) => {
  const [method, path] = request.startsWith('/') ? ['GET', request] : (request.split(' ') as [string, string]);
  const { plain, ours } = await both.ask(path, { method, redirect: 'manual' });
  expect(ours).toEqual(plain);
});

it.each([
  [{ Origin: 'https://page.example' }, 'GET'],
  [{ Origin: 'https://other.example' }, 'GET'],
  [{ Origin: 'https://page.example', 'Access-Control-Request-Method': 'PUT' }, 'OPTIONS'],
  [{ 'Access-Control-Request-Headers': 'X-One', 'Access-Control-Request-Method': 'PUT' }, 'OPTIONS'],
])('enableCors answers %j as in plain Nest', async (headers, method) => {
  for (const path of ['/v7/seen/other', '/nothing', '/failing/throws']) {
    const { plain, ours } = await both.ask(path, { method, headers });
    expect(ours).toEqual(plain);
  }
});

it('answers a broken escape 400 in its own words, on a route of Express too', async () => {
  const { plain, ours } = await both.ask('/raw/%zz');
  expect([plain.status, ours.status]).toEqual([400, 400]);
  expect(ours.body).toMatchObject({ message: 'The path holds a broken percent escape.' });
});

describe('bodies', () => {
  const json = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"name":"Tom","more":1}' };
  const withBody = (...layers: ((...parts: [Request, Response, NextFunction]) => void)[]) => {
    @Controller('bodies')
    class BodiesController {
      @Post()
      @open()
      made(
        @Body(new ValidationPipe()) body: Record<string, unknown>,
        @Res({ passthrough: true }) { locals }: Response,
      ) {
        return { body, ...locals };
      }
    }
    @Module({ controllers: [BodiesController] })
    class BodiesModule implements NestModule {
      configure(consumer: MiddlewareConsumer) {
        consumer.apply(...layers).forRoutes(BodiesController);
      }
    }
    return BodiesModule;
  };
  const looking = (req: Request, res: Response, next: NextFunction) => {
    note(res, (req.body as unknown) ?? null);
    next();
  };
  const post = async (module: Type) => {
    const app = await startOurs(() => undefined, [module]);
    const answer = await fetch(`${await app.getUrl()}/bodies`, json);
    const text = await answer.text();
    await app.close();
    return { status: answer.status, body: JSON.parse(text) as unknown };
  };

  it('are read after the guards, so that middleware sees none', async () => {
    const body = { name: 'Tom', more: 1 };
    expect(await post(withBody(looking))).toEqual({ status: 201, body: { body, seen: [null] } });
  });

  it('are what a parser of Express makes of them, where one stands before', async () => {
    const both = await startBothWith(() => undefined, withBody(express.json() as never, looking));
    const { plain, ours } = await both.ask('/bodies', json);
    await both.stop();
    expect(ours).toEqual(plain);
  });

  it('are missed where a middleware keeps them to itself', async () => {
    const reading = (req: Request, _: Response, next: NextFunction) => req.resume().once('end', next);
    expect(await post(withBody(reading))).toMatchObject({ status: 500, body: { type: '/problems/internal-error' } });
  });
});

it('walks through none of the layers of Express where nobody has put one', async () => {
  const walked: string[] = [];
  const spy = (app: NestExpressApplication) => {
    const router = app.getHttpAdapter().getInstance().router as unknown as { handle: (...parts: unknown[]) => void };
    const handle = router.handle.bind(router);
    router.handle = (req, ...rest) => {
      walked.push((req as Request).url);
      handle(req, ...rest);
    };
  };
  for (const [prepare, expected] of [
    [spy, []],
    [(app) => spy(app.use(noting('any'))), ['/openapi.json']],
  ] as [typeof spy, string[]][]) {
    const app = await startOurs(prepare, []);
    expect((await fetch(`${await app.getUrl()}/openapi.json`)).status).toBe(200);
    await app.close();
    expect(walked).toEqual(expected);
  }
});

/** As if app.ts said so, and not what it says. */
const versionedBy = (options: VersioningOptions) => (app: NestExpressApplication) => {
  app.enableVersioning(options);
  Object.assign((app as unknown as { config: object }).config, { enableVersioning: () => undefined });
};

it.each<[string, (app: NestExpressApplication) => unknown, RegExp]>([
  ['a global prefix', (app) => app.setGlobalPrefix('api'), /^setGlobalPrefix\('api'\) would move every path/],
  [
    'versions in a header',
    versionedBy({ type: VersioningType.HEADER, header: 'X-Version' }),
    /is not at .*: versions are in the path/,
  ],
  [
    'a default version',
    versionedBy({ type: VersioningType.URI, defaultVersion: '1' }),
    /is not at .*: versions are in the path/,
  ],
])('stops the start at %s, and says what to do', async (_, prepare, sentence) => {
  await expect(startOurs(prepare, [FailingModule])).rejects.toThrow(sentence);
});
