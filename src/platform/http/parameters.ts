import { createParamDecorator, type ExecutionContext, type PipeTransform, type Type } from '@nestjs/common';
import {
  INTERCEPTORS_METADATA,
  PARAMTYPES_METADATA,
  ROUTE_ARGS_METADATA,
  RouteParamtypes,
} from '@nestjs/common/internal';
import type { Request, Response } from 'express';

/** What a handler's parameter says: where its value comes from, and the class whose rules the value must keep. */
export interface HandlerParameter {
  index: number;
  source: 'body' | 'form' | 'query' | 'path' | 'idempotency key' | 'files' | 'request' | 'other';
  /** The class named in the handler's signature; Object or undefined where it names an interface or a type import. */
  metatype: Type<object> | undefined;
  /** Of `@Param('name')`, the name. */
  name?: string;
  pipes: unknown[];
}

/** The body that a handler reads. */
export interface OperationBody {
  mediaType: 'application/json' | 'application/x-www-form-urlencoded' | 'multipart/form-data';
  /** Undefined where the signature names no class for the whole of it. */
  dto: Type<object> | undefined;
  isList: boolean;
}

/** Nest's own parameters are stored by their number. */
const SOURCES: Record<number, HandlerParameter['source']> = {
  [RouteParamtypes.BODY]: 'body',
  [RouteParamtypes.QUERY]: 'query',
  [RouteParamtypes.PARAM]: 'path',
  [RouteParamtypes.FILE]: 'files',
  [RouteParamtypes.FILES]: 'files',
  [RouteParamtypes.REQUEST]: 'request',
};

/** Of those made by requestParameter; any other that createParamDecorator makes may read the whole request. */
const SOURCES_OF_OURS = new Map<unknown, HandlerParameter['source']>();

/** As createParamDecorator, for what is read of a request without its body, or of a body that has been read. */
export function requestParameter<Value, Data = unknown>(
  source: HandlerParameter['source'],
  read: (req: Request, res: Response, data: Data) => Value,
) {
  const factory = (data: Data, context: ExecutionContext): Value => {
    const http = context.switchToHttp();
    return read(http.getRequest(), http.getResponse(), data);
  };
  SOURCES_OF_OURS.set(factory, source);
  return createParamDecorator(factory);
}

/** The sources whose values are checked by rules. */
export const CHECKED: HandlerParameter['source'][] = ['body', 'form', 'query', 'path'];

/** A pipe that checks an array may say the class of its elements. */
interface PipeForItems extends PipeTransform {
  items: Type<object>;
}

type Argument = { index: number; data?: unknown; pipes?: unknown[]; factory?: unknown };

const argumentsOf = (controller: object, handler: string | symbol) =>
  (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler) ?? {}) as Record<string, Argument>;

/** Gives a pipe to those parameters of a handler that are checked by rules and have no pipe of their own. */
export function givePipe(controller: object, handler: string | symbol, pipe: PipeTransform): void {
  for (const [key, argument] of Object.entries(argumentsOf(controller, handler))) {
    if (CHECKED.includes(sourceOf(key, argument.factory)) && !argument.pipes?.length) {
      argument.pipes = [pipe];
    }
  }
}

/** The parameters of a handler that have decorators, in order. */
export function parametersOf(controller: object, handler: string | symbol): HandlerParameter[] {
  const prototype = (controller as Type).prototype as object;
  const types = (Reflect.getMetadata(PARAMTYPES_METADATA, prototype, handler) ?? []) as Type<object>[];
  return Object.entries(argumentsOf(controller, handler))
    .map(([key, { index, data, pipes = [], factory }]) => ({
      index,
      source: sourceOf(key, factory),
      metatype: types[index],
      name: typeof data === 'string' ? data : undefined,
      pipes,
    }))
    .sort((a, b) => a.index - b.index);
}

function sourceOf(key: string, factory: unknown): HandlerParameter['source'] {
  return factory === undefined
    ? (SOURCES[Number.parseInt(key)] ?? 'other')
    : (SOURCES_OF_OURS.get(factory) ?? 'request');
}

const BUILT_IN = new Set<unknown>([Object, Array, String, Number, Boolean, BigInt, Date, Map, Set, Buffer, Promise]);

/** Whether a signature names a class that is not built in. */
export const isDto = (metatype: Type<object> | undefined): metatype is Type<object> =>
  metatype !== undefined && !BUILT_IN.has(metatype);

/** The body that a handler's signature declares; undefined where it reads none. */
export function bodyOf(controller: object, handler: string | symbol): OperationBody | undefined {
  const parameters = parametersOf(controller, handler);
  const takesFiles = parameters.some(({ source }) => source === 'files');
  for (const { source, metatype, name, pipes } of parameters) {
    const dto = name === undefined && isDto(metatype) ? metatype : undefined;
    const items = pipes.map(itemsOf).find((dto) => dto !== undefined);
    if (source === 'body') {
      const mediaType = takesFiles ? 'multipart/form-data' : 'application/json';
      return { mediaType, dto: items ?? dto, isList: items !== undefined };
    }
    if (source === 'form') {
      return { mediaType: 'application/x-www-form-urlencoded', dto, isList: false };
    }
  }
  return takesFiles ? { mediaType: 'multipart/form-data', dto: undefined, isList: false } : undefined;
}

/**
 * The bodies that a handler, or an interceptor of its own, may read as they come: none, those with files, or all. Where
 * JSON or a form is declared, an interceptor may still make it of the parts of a form with files.
 */
export function streamsOf(controller: object, handler: string | symbol): 'none' | 'files' | 'all' {
  const method = ((controller as Type).prototype as Record<string | symbol, object>)[handler]!;
  const isIntercepted = [method, controller].some((target) => Reflect.hasMetadata(INTERCEPTORS_METADATA, target));
  const body = bodyOf(controller, handler);
  if (body && body.mediaType !== 'multipart/form-data') {
    return isIntercepted ? 'files' : 'none';
  }
  const mayRead = body || isIntercepted || parametersOf(controller, handler).some(({ source }) => source === 'request');
  return mayRead ? 'all' : 'none';
}

/** Whether a handler heeds the Idempotency-Key, so that its operation may be repeated. */
export const isRepeatable = (controller: object, handler: string | symbol): boolean =>
  parametersOf(controller, handler).some(({ source }) => source === 'idempotency key');

/** The class of the elements that a pipe, given as a class or as an instance, checks. */
const itemsOf = (pipe: unknown): Type<object> | undefined => (pipe as Partial<PipeForItems>).items;
