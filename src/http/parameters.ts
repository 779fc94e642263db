import type { PipeTransform, Type } from '@nestjs/common';
import { PARAMTYPES_METADATA, ROUTE_ARGS_METADATA, RouteParamtypes } from '@nestjs/common/internal';
import { readForm } from './form';

/** What a handler's parameter says: where its value comes from, and the class whose rules the value must keep. */
export interface HandlerParameter {
  index: number;
  source: 'body' | 'form' | 'query' | 'path' | 'other';
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

const SOURCES: Record<number, HandlerParameter['source']> = {
  [RouteParamtypes.BODY]: 'body',
  [RouteParamtypes.QUERY]: 'query',
  [RouteParamtypes.PARAM]: 'path',
};

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

/** Nest's own decorators are stored by their number; those made with createParamDecorator by their function. */
function sourceOf(key: string, factory: unknown): HandlerParameter['source'] {
  return factory === readForm ? 'form' : (factory === undefined && SOURCES[Number.parseInt(key)]) || 'other';
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

/** The class of the elements that a pipe, given as a class or as an instance, checks. */
export const itemsOf = (pipe: unknown): Type<object> | undefined => (pipe as Partial<PipeForItems>).items;
