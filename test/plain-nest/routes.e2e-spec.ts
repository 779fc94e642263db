import {
  All,
  Controller,
  Get,
  Head,
  HostParam,
  HttpCode,
  Module,
  Next,
  Options,
  Param,
  Post,
  Put,
  Req,
  Search,
  Version,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { RouterModule } from '@nestjs/core';
import type { NextFunction, Request } from 'express';
import { Endpoint } from '../../src/platform/http';
import { startApp, type RunningApp } from '../support/start-app';
import { startBoth, type Both } from '../support/plain-nest';

const open = () => Endpoint({ access: 'anyone' });

@Controller({ path: ['cats', 'felines'], version: ['1', '2'] })
class CatsController {
  @Get()
  @open()
  all() {
    return ['tom'];
  }

  @Get(['old', 'new'])
  @Version('3')
  @open()
  versioned() {
    return 'three';
  }

  @Get('neutral')
  @Version(VERSION_NEUTRAL)
  @open()
  neutral() {
    return 'any';
  }

  @Get('some')
  @Version([VERSION_NEUTRAL, '4'])
  @open()
  some() {
    return 'some';
  }

  @Post()
  @open()
  made() {
    return { made: true };
  }

  @Post('silent')
  @HttpCode(204)
  @open()
  silent() {}

  @Post('above')
  @open()
  @HttpCode(202)
  accepted() {
    return {};
  }
}

@Controller('ways')
class WaysController {
  @Get('files/*path')
  @open()
  wild(@Param('path') path: string, @Param() all: unknown) {
    return { path, all };
  }

  @Get('maybe{/:id}')
  @open()
  optional(@Param('id') id?: string) {
    return { id: id ?? null };
  }

  @Get('from/:a-:b')
  @open()
  two(@Param('a') a: string, @Param('b') b: string) {
    return { a, b };
  }

  @Get('photo/:name.jpg')
  @open()
  photo(@Param() { name }: { name: string }) {
    return { name };
  }

  @Get('escaped\\(1\\)')
  @open()
  escaped() {
    return 'escaped';
  }

  @Get('old/*')
  @open()
  legacy() {
    return 'legacy';
  }

  @All('any')
  @open()
  any() {
    return 'any';
  }

  @Put('any/:id')
  @open()
  put(@Param('id') id: string) {
    return { put: id };
  }

  @All('any/:id')
  @open()
  rest(@Param('id') id: string) {
    return { rest: id };
  }

  @Head('head')
  @open()
  head() {}

  @Options('options')
  @open()
  options() {
    return 'mine';
  }

  @Search('search')
  @open()
  search() {
    return 'found';
  }

  @Get('request/:id')
  @open()
  request(@Req() req: Request) {
    const { originalUrl, baseUrl, url, path, res, next, params } = req;
    const { route } = req as unknown as { route: { path: string; methods: unknown; stack: unknown[] } };
    const ofExpress = [res?.req === req, Object.keys(res!.locals), typeof next, route.methods, route.stack.length];
    return { originalUrl, baseUrl, url, path, params, route: route.path, ofExpress };
  }

  @Get('pass/on')
  @open()
  passOn(@Next() next: NextFunction) {
    next();
  }

  @Get('pass/*rest')
  @open()
  passed() {
    return 'passed on';
  }
}

@Controller({ path: 'where', host: ':tenant.example.com' })
class TenantController {
  @Get()
  @open()
  here(@HostParam('tenant') tenant: string) {
    return { tenant };
  }
}
@Controller('where')
class AnywhereController {
  @Get()
  @open()
  here() {
    return 'anywhere';
  }
}
@Controller({ path: 'only', host: 'only.example.com' })
class OnlyController {
  @Get()
  @open()
  here() {
    return 'only';
  }
}

@Controller('nested')
class NestedController {
  @Get('/slashes/')
  @open()
  slashes() {
    return 'slashes';
  }
}
@Module({ controllers: [NestedController] })
class NestedModule {}

@Module({
  imports: [NestedModule, RouterModule.register([{ path: 'outer', module: NestedModule }])],
  controllers: [CatsController, WaysController, TenantController, AnywhereController, OnlyController],
})
class WaysModule {}

let both: Both;
let running: RunningApp;
beforeAll(async () => {
  both = await startBoth(WaysModule);
  running = await startApp({}, undefined, undefined, [WaysModule]);
});
afterAll(() => Promise.all([both.stop(), running.stop()]));

const REQUESTS = [
  ...['/v1/cats', '/v2/cats', '/v1/felines', '/v2/felines/', '/v3/cats/old', '/v3/felines/new', '/cats/neutral'],
  ...['/cats/some', '/v4/cats/some', '/v4/felines/some', '/ways/files/a', '/ways/files/a/b%20c/d', '/ways/maybe'],
  ...[
    '/ways/maybe/7',
    '/ways/maybe/',
    '/ways/from/x-y',
    '/ways/photo/cat.jpg',
    '/ways/escaped(1)',
    '/ways/old/a',
    '/ways/old/a/b',
  ],
  ...['/ways/any', '/ways/any/1', '/where', '/outer/nested/slashes', '/ways/pass/on', '/ways/pass/by'],
  ...['/ways/request/7?a=b', 'HEAD /ways/request/7'],
  ...['POST /v1/cats', 'POST /v2/cats/silent', 'POST /v1/cats/above', 'POST /ways/any', 'PUT /ways/any/1'],
  ...['DELETE /ways/any/1', 'PATCH /ways/any', 'OPTIONS /ways/any', 'HEAD /ways/head', 'OPTIONS /ways/options'],
  ...['SEARCH /ways/search', 'HEAD /ways/any', 'HEAD /v1/cats', 'HEAD /ways/files/a'],
];
it.each(REQUESTS)('%s is answered as plain Nest answers it', async (request) => {
  const [method, path] = request.startsWith('/') ? ['GET', request] : (request.split(' ') as [string, string]);
  const { plain, ours } = await both.ask(path, { method });
  expect(ours).toEqual(plain);
  expect(ours.status).toBeLessThan(300);
});

it.each([
  '/v5/cats',
  '/v1/cats/old',
  '/v1/cats/neutral',
  '/ways/files',
  '/ways/photo/cat.png',
  '/only',
  '/ways/maybe/7/8',
])('%s is 404 as in plain Nest', async (path) => {
  const { plain, ours } = await both.ask(path);
  expect([plain.status, ours.status]).toEqual([404, 404]);
});

it('tells hosts apart', async () => {
  const at = (host: string, path = '/where') => running.http.get(path).set('Host', host);
  expect((await at('acme.example.com').expect(200)).body).toEqual({ tenant: 'acme' });
  expect((await at('localhost').expect(200)).text).toBe('anywhere');
  expect((await at('only.example.com', '/only').expect(200)).text).toBe('only');
});

it('says in Allow what a path takes, whatever declares it', async () => {
  const allowed = async (path: string) => (await running.http.trace(path).expect(405)).headers.allow;
  expect(await allowed('/ways/files/a')).toBe('GET, HEAD, OPTIONS');
  expect(await allowed('/v3/cats/old')).toBe('GET, HEAD, OPTIONS');
  expect((await running.http.options('/ways/files/a').expect(204)).headers.allow).toBe('GET, HEAD, OPTIONS');
});

it('answers a broken escape 400, in a wildcard too', async () => {
  const { body } = await running.http.get('/ways/files/a/%zz').expect(400);
  expect(body).toMatchObject({ type: '/problems/bad-request' });
});
