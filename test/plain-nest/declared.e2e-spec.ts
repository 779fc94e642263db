import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Catch,
  Controller,
  createParamDecorator,
  Get,
  Header,
  HttpCode,
  Injectable,
  Module,
  Param,
  Post,
  Redirect,
  Render,
  Res,
  Session,
  Ip,
  Sse,
  StreamableFile,
  HttpException,
  type ExecutionContext,
  type CanActivate,
  type NestInterceptor,
  type CallHandler,
  type PipeTransform,
  type ArgumentsHost,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE, LazyModuleLoader } from '@nestjs/core';
import type { Request, Response } from 'express';
import { map, of } from 'rxjs';
import { Endpoint } from '../../src/platform/http';
import { startBothWith, type Both } from '../support/plain-nest';

const open = () => Endpoint({ access: 'anyone' });
@Injectable()
class Guard implements CanActivate {
  canActivate = (context: ExecutionContext) =>
    !context.switchToHttp().getRequest<Request>().originalUrl.includes('denied');
}
@Injectable()
class Wrap implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    return context.switchToHttp().getRequest<Request>().originalUrl.includes('wrapped')
      ? next.handle().pipe(map((data: unknown) => ({ data })))
      : next.handle();
  }
}
@Injectable()
class Exclaim implements PipeTransform {
  transform = (value: unknown) => (value === 'piped' ? 'piped!' : value);
}
class Odd extends HttpException {}
@Catch(Odd)
class OddFilter {
  catch(_: Odd, host: ArgumentsHost) {
    host.switchToHttp().getResponse<Response>().status(418).json({ statusCode: 418, message: 'odd' });
  }
}
class Lazy {}
@Module({ providers: [Lazy] })
class LazyModule {}
const Agent = createParamDecorator((data: string, context: ExecutionContext) => [
  data,
  context.switchToHttp().getRequest<Request>().method,
]);

@Controller('declared')
class DeclaredController {
  constructor(private readonly loader: LazyModuleLoader) {}
  @Get('denied') @open() denied() {
    return 'no';
  }
  @Get('wrapped') @open() wrapped() {
    return { a: 1 };
  }
  @Get('pipe/:a') @open() pipe(@Param('a') a: string) {
    return a;
  }
  @Get('odd') @open() odd() {
    throw new Odd('x', 400);
  }
  @Get('header') @Header('X-Own', 'a') @Header('Cache-Control', 'none') @open() header() {
    return 'h';
  }
  @Post('code') @HttpCode(206) @open() code() {
    return 'c';
  }
  @Get('redirect') @Redirect('/a', 301) @open() redirect() {}
  @Get('redirect/dynamic') @Redirect() @open() dynamic() {
    return { url: '/b', statusCode: 307 };
  }
  @Get('passthrough') @open() pass(@Res({ passthrough: true }) res: Response) {
    res.status(203).cookie('a', 'b');
    return [1];
  }
  @Get('res') @open() res(@Res() res: Response) {
    res.status(203).json({ own: true });
  }
  @Sse('sse') @open() sse() {
    return of({ data: 'a' }, { data: { b: 1 }, id: '2' });
  }
  @Get('ip') @open() ip(@Ip() ip: string, @Session() session: unknown, @Agent('x') agent: unknown) {
    return { ip, session: session ?? null, agent };
  }
  @Get('stream') @open() stream() {
    return new StreamableFile(Buffer.from('abc'), { type: 'text/csv', disposition: 'inline' });
  }
  @Get('lazy') @open() async lazy() {
    const ref = await this.loader.load(() => LazyModule);
    return ref.get(Lazy) instanceof Lazy;
  }
  @Get('render') @Render('page') @open() render() {
    return { name: 'Tom' };
  }
  @Get('number') @open() number() {
    return 5;
  }
  @Get('null') @open() nothing() {
    return null;
  }
  @Get('false') @open() no() {
    return false;
  }
  @Get('observable') @open() observable() {
    return of('a', 'b');
  }
  @Get('date') @open() date() {
    return { at: new Date(0), undefined: undefined };
  }
}
@Module({
  controllers: [DeclaredController],
  providers: [
    { provide: APP_GUARD, useClass: Guard },
    { provide: APP_INTERCEPTOR, useClass: Wrap },
    { provide: APP_PIPE, useClass: Exclaim },
    { provide: APP_FILTER, useClass: OddFilter },
  ],
})
class DeclaredModule {}
const views = mkdtempSync(join(tmpdir(), 'views-'));
writeFileSync(join(views, 'page.html'), '');

let both: Both;
beforeAll(async () => {
  both = await startBothWith((app) => {
    app.engine('html', (_: string, options: { name: string }, done: (e: null, text: string) => void) =>
      done(null, `<p>${options.name}</p>`),
    );
    app.setViewEngine('html');
    app.setBaseViewsDir(views);
    app.useGlobalInterceptors({
      intercept: (context, next) => {
        context.switchToHttp().getResponse<Response>().set('X-Global', 'yes');
        return next.handle();
      },
    });
  }, DeclaredModule);
});
afterAll(async () => {
  await both.stop();
  rmSync(views, { recursive: true });
});

it.each([
  'denied',
  'wrapped',
  'pipe/piped',
  'odd',
  'header',
  'POST code',
  'redirect',
  'redirect/dynamic',
  'passthrough',
  'res',
  'sse',
  'ip',
  'stream',
  'lazy',
  'render',
  'number',
  'null',
  'false',
  'observable',
  'date',
])('%s is as in plain Nest', async (line) => {
  const [path, method = 'GET'] = line.split(' ').reverse() as [string, string?];
  const { plain, ours } = await both.ask(`/declared/${path}`, { method, redirect: 'manual' });
  expect(ours).toEqual(plain);
  expect(ours.status).toBeLessThan(500);
});
