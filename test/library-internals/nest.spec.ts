import 'reflect-metadata';
import { Body, Controller, createParamDecorator, HttpCode, Post, RequestMethod } from '@nestjs/common';
import { UseInterceptors, UsePipes, ValidationPipe } from '@nestjs/common';
import * as nest from '@nestjs/common/internal';
import { ModulesContainer, RouterModule } from '@nestjs/core';
import { LegacyRouteConverter } from '@nestjs/core/internal';
import { ExpressAdapter } from '@nestjs/platform-express';
import { ApiProperty } from '@nestjs/swagger';
import { allOf, areFunctions, stillThere } from './still-there';

class Dto {
  @ApiProperty({ description: 'said' }) member: string;
}
const readAnything = () => undefined;
const Anything = createParamDecorator(readAnything);

@Controller({ path: 'path', version: '7', host: 'host' })
@UsePipes(ValidationPipe)
class Declared {
  @Post('handler')
  @HttpCode(202)
  @UseInterceptors({ intercept: (_, next) => next.handle() })
  handler(@Body('name', ValidationPipe) body: Dto, @Anything() anything: unknown) {
    return [body, anything];
  }
}
const ofController = (key: string) => Reflect.getMetadata(key, Declared) as unknown;
const ofHandler = (key: string) => Reflect.getMetadata(key, allOf(Declared.prototype).handler as object) as unknown;
const argumentAt = (key: string) =>
  allOf(allOf(Reflect.getMetadata(nest.ROUTE_ARGS_METADATA, Declared, 'handler'))[key]);

stillThere('@nestjs/common/internal', {
  PATH_METADATA: () => ofController(nest.PATH_METADATA) === 'path' && ofHandler(nest.PATH_METADATA) === 'handler',
  METHOD_METADATA: () => ofHandler(nest.METHOD_METADATA) === RequestMethod.POST,
  VERSION_METADATA: () => ofController(nest.VERSION_METADATA) === '7',
  HOST_METADATA: () => ofController(nest.HOST_METADATA) === 'host',
  HTTP_CODE_METADATA: () => ofHandler(nest.HTTP_CODE_METADATA) === 202,
  PIPES_METADATA: () => Array.isArray(ofController(nest.PIPES_METADATA)),
  INTERCEPTORS_METADATA: () => Array.isArray(ofHandler(nest.INTERCEPTORS_METADATA)),
  PARAMTYPES_METADATA: () =>
    (Reflect.getMetadata(nest.PARAMTYPES_METADATA, Declared.prototype, 'handler') as unknown[])[0] === Dto,
  RouteParamtypes: () => {
    const { index, data, pipes } = argumentAt(`${nest.RouteParamtypes.BODY}:0`);
    return index === 0 && data === 'name' && (pipes as unknown[])[0] === ValidationPipe;
  },
  ROUTE_ARGS_METADATA: () => {
    const all = allOf(Reflect.getMetadata(nest.ROUTE_ARGS_METADATA, Declared, 'handler'));
    return Object.values(all).some((one) => allOf(one).index === 1 && allOf(one).factory === readAnything);
  },
  MODULE_PATH: () => {
    const modules = new ModulesContainer();
    class Prefixed {}
    const routes = [{ path: 'prefix', module: Prefixed }];
    new (RouterModule as unknown as new (...parts: unknown[]) => object)(modules, routes);
    return Reflect.getMetadata(nest.MODULE_PATH + modules.applicationId, Prefixed) === '/prefix';
  },
});

stillThere('@nestjs/core', {
  LegacyRouteConverter: () => LegacyRouteConverter.tryConvert('/a/*', { logs: false }) === '/a/{*path}',
});

stillThere('@nestjs/platform-express', {
  'a method of ExpressAdapter for each method of HTTP': () => areFunctions(new ExpressAdapter(), 'get', 'post', 'all'),
});

stillThere('@nestjs/swagger', {
  'swagger/apiModelProperties': () =>
    allOf(Reflect.getMetadata('swagger/apiModelProperties', Dto.prototype, 'member')).description === 'said',
});
