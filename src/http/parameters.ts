import type { PipeTransform, Type } from '@nestjs/common';
import { PARAMTYPES_METADATA, ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import { readForm } from './form';
import { readByKey } from './idempotency-key';

/** What a handler's parameter says: where its value comes from, and the class whose rules the value must keep. */
export interface HandlerParameter {
  index: number;
  source: 'body' | 'form' | 'query' | 'path' | 'idempotency key' | 'other';
  /** The class named in the handler's signature; Object or undefined where it names an interface or a type import. */
  metatype: Type<object> | undefined;
  /** Of `@Param('name')`, the name. */
  name?: string;
  pipes: unknown[];
}

/** The body that a handler reads. */
export interface OperationBody {
  mediaType: 'application/json' | 'application/x-www-form-urlencoded';
  dto: Type<object>;
  isList: boolean;
}

/** Nest's own parameters are stored by their number. */
const SOURCES: Record<number, HandlerParameter['source']> = {
  [RouteParamtypes.BODY]: 'body',
  [RouteParamtypes.QUERY]: 'query',
  [RouteParamtypes.PARAM]: 'path',
};

/** Parameters made with createParamDecorator are known by their function. */
const SOURCES_OF_OURS = new Map<unknown, HandlerParameter['source']>([
  [readForm, 'form'],
  [readByKey, 'idempotency key'],
]);

/** Pipes of ours that check an array say the class of its elements. */
interface PipeForItems extends PipeTransform {
  items: Type<object>;
}

/** The parameters of a handler that have decorators, in order. */
export function parametersOf(controller: object, handler: string | symbol): HandlerParameter[] {
  type Argument = { index: number; data?: unknown; pipes?: unknown[]; factory?: unknown };
  const stored = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler) as Record<string, Argument> | undefined;
  const prototype = (controller as Type).prototype as object;
  const types = (Reflect.getMetadata(PARAMTYPES_METADATA, prototype, handler) ?? []) as Type<object>[];
  return Object.entries(stored ?? {})
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
  return (factory === undefined ? SOURCES[Number.parseInt(key)] : SOURCES_OF_OURS.get(factory)) ?? 'other';
}

/** The body that a handler's signature declares; undefined where it reads none. */
export function bodyOf(controller: object, handler: string | symbol): OperationBody | undefined {
  for (const { source, metatype, pipes } of parametersOf(controller, handler)) {
    const items = pipes.map(itemsOf).find((dto) => dto !== undefined);
    if (source === 'body') {
      return { mediaType: 'application/json', dto: items ?? metatype!, isList: items !== undefined };
    }
    if (source === 'form') {
      return { mediaType: 'application/x-www-form-urlencoded', dto: metatype!, isList: false };
    }
  }
  return undefined;
}

/** Whether a handler heeds the Idempotency-Key, so that its operation may be repeated. */
export const isRepeatable = (controller: object, handler: string | symbol): boolean =>
  parametersOf(controller, handler).some(({ source }) => source === 'idempotency key');

/** The class of the elements that a pipe, given as a class or as an instance, checks. */
export const itemsOf = (pipe: unknown): Type<object> | undefined => (pipe as Partial<PipeForItems>).items;
