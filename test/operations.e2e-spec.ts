import { Body, Controller, Get, Module, Param, Post, Put } from '@nestjs/common';
import { Endpoint, IsName, Operations } from '../src/platform/http';
import { openApiDocument } from '../src/platform/openapi';
import { loadConfig } from '../src/platform/config';
import { ShelfModule } from './support/shelf.module';
import { startApp, tokenFor, type RunningApp } from './support/start-app';

const withModules = (...modules: (new () => object)[]) => startApp({}, undefined, undefined, modules);

describe('an operation with a parameter in its path, a list, a DELETE and a POST without a body', () => {
  let running: RunningApp;
  beforeAll(async () => (running = await withModules(ShelfModule)));
  afterAll(() => running.stop());

  it('is found by its template, with exact integers in the answer', async () => {
    const { text } = await running.http.post('/v1/shelf/moby%20dick/copies').expect(201);
    expect(text).toBe('{"id":9223372036854775807,"title":"moby dick"}');
    expect((await running.http.get('/v1/shelf/moby%20dick').expect(200)).text).toBe(text);
    expect((await running.http.get('/v1/shelf/moby%20dick/').expect(200)).text).toBe(text);
    expect((await running.http.get('/v1/shelf?by=x').expect(200)).text).toBe(`[${text}]`);
  });

  it('gives a literal segment precedence over a parameter, and letter case counts', async () => {
    expect((await running.http.get('/v1/shelf/latest').expect(200)).body).toEqual({ id: 1, title: 'latest' });
    await running.http.get('/v1/shelf/LATEST').expect(404, /no such book/);
    await running.http.delete('/v1/shelf/latest').expect(405);
    await running.http.get('/v1/SHELF').expect(404, /nothing at this address/);
    await running.http.get('/v1/shelf//').expect(404, /nothing at this address/);
  });

  it('answers HEAD where GET is, OPTIONS and 405 with Allow of that path', async () => {
    const get = await running.http.get('/v1/shelf/latest').expect(200);
    const head = await running.http.head('/v1/shelf/latest').expect(200);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
    expect((await running.http.options('/v1/shelf/x').expect(204)).headers.allow).toBe('GET, HEAD, DELETE, OPTIONS');
    expect((await running.http.put('/v1/shelf/x').expect(405)).headers.allow).toBe('GET, HEAD, DELETE, OPTIONS');
    expect((await running.http.get('/v1/shelf/x/copies').expect(405)).headers.allow).toBe('POST, OPTIONS');
  });

  it('answers 400 to a broken escape and to a parameter that breaks its rules', async () => {
    expect((await running.http.get('/v1/shelf/%zz').expect(400)).body).toMatchObject({ type: '/problems/bad-request' });
    const { body } = await running.http.get('/v1/shelf/%00').expect(400);
    expect(body).toMatchObject({ type: '/problems/validation-failed', errors: [{ pointer: 'title' }] });
    await running.http.get('/v1/shelf?by=a&by=b').expect(400);
  });

  it('tells the handler who calls', async () => {
    await running.http.delete('/v1/shelf/moby').expect(401);
    const token = await tokenFor(running);
    await running.http.delete('/v1/shelf/moby').set('Authorization', `Bearer ${token}`).expect(200, '');
  });

  it('stands in the OpenAPI document by itself', () => {
    const { paths } = openApiDocument(running.app, loadConfig({}));
    expect(Object.keys(paths['/v1/shelf/{title}']!)).toEqual(['get', 'delete']);
    expect(paths['/v1/shelf/{title}']!.delete!.security).toEqual([{ bearer: [] }]);
    expect(paths['/v1/shelf/{title}/copies']!.post).not.toHaveProperty('requestBody');
    expect(paths['/v1/shelf/{title}']!.get!.parameters).toMatchObject([{ name: 'title', in: 'path', required: true }]);
    expect(Object.keys(paths['/v1/shelf/{title}']!.get!.responses)).toContain('404');
  });
});

interface Unruled {
  name: string;
}
class Ruled {
  @IsName() name: string;
}

class SaysNothing {
  @Get()
  silent(): void {}
}
class ForgetsAccess {
  @Get()
  @Endpoint({} as never)
  list(): void {}
}
class ReadsAnything {
  @Post()
  @Endpoint({ access: 'anyone' })
  create(@Body() _body: Unruled): void {}
}
class ForgetsItsPath {
  @Put(':id')
  @Endpoint({ access: 'anyone', summary: 'x' })
  update(@Body() _body: Ruled): void {}
}
class StandsTwice {
  @Get()
  @Endpoint({ access: 'anyone' })
  one(): void {}

  @Get()
  @Endpoint({ access: 'anyone' })
  two(): void {}
}

class NamesApart {
  @Get(':one')
  @Endpoint({ access: 'anyone' })
  read(): void {}

  @Put(':two')
  @Endpoint({ access: 'anyone' })
  write(): void {}
}

it.each([
  [SaysNothing, 'SaysNothing.silent does not say who may call it: add @Endpoint'],
  [ForgetsAccess, 'ForgetsAccess.list does not say who may call it: add @Endpoint({ access: … })'],
  [ReadsAnything, 'Parameter 1 of ReadsAnything.create (body) has no rules'],
  [ForgetsItsPath, 'ForgetsItsPath.update does not read the parameters of /v1/planted/{id}'],
  [StandsTwice, 'StandsTwice.two takes GET /v1/planted, which is taken by StandsTwice.one: change the path of one'],
  [NamesApart, '/v1/planted/{two} is the path /v1/planted/{one} by another name of a parameter: name it alike'],
])('does not start with a handler that says too little: %p', async (handlers, message) => {
  Controller({ path: 'planted', version: '1' })(handlers);
  class Planted {}
  Module({ controllers: [handlers] })(Planted);
  await expect(withModules(Planted)).rejects.toThrow(message);
});

it('gives a literal precedence at the first segment that differs, whatever stands first', async () => {
  @Controller('planted')
  class Planted {
    @Get(':shelf/latest')
    @Endpoint({ access: 'anyone' })
    latest(@Param('shelf') shelf: string) {
      return `latest of ${shelf}`;
    }

    @Get('top/:book')
    @Endpoint({ access: 'anyone' })
    top(@Param('book') book: string) {
      return `top ${book}`;
    }
  }
  @Module({ controllers: [Planted] })
  class PlantedModule {}
  const running = await withModules(PlantedModule);
  expect((await running.http.get('/planted/top/latest').expect(200)).text).toBe('top latest');
  expect((await running.http.get('/planted/low/latest').expect(200)).text).toBe('latest of low');
  await running.stop();
});

it('keeps two apps of one process apart: each knows its own sessions, also after the other has ended', async () => {
  const [a, b] = [await startApp(), await startApp()];
  const update = ({ http }: RunningApp, token: string) =>
    http.put('/v2/pet').set('Authorization', `Bearer ${token}`).send({ id: 1, name: 'x', photoUrls: [] });
  const [ofA, ofB] = [await tokenFor(a), await tokenFor(b)];
  await update(a, ofB).expect(401);
  await update(b, ofA).expect(401);
  await b.stop();
  await update(a, ofA).expect(404);
  await update(a, ofB).expect(401);
  await a.stop();
});

it('lists each operation once', async () => {
  const running = await startApp();
  const { all } = Operations.of(running.app);
  expect(new Set(all.map(({ method, template }) => `${method} ${template}`)).size).toBe(all.length);
  await running.stop();
});
