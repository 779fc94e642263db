import { RequestMethod, VERSION_NEUTRAL, type Type } from '@nestjs/common';
import {
  HOST_METADATA,
  HTTP_CODE_METADATA,
  METHOD_METADATA,
  PATH_METADATA,
  PIPES_METADATA,
  VERSION_METADATA,
} from '@nestjs/common/internal';
import { MetadataScanner } from '@nestjs/core';
import { LegacyRouteConverter } from '@nestjs/core/internal';
import { match, parse, type MatchFunction, type Token } from 'path-to-regexp';
import { VALIDATION_FAILED, type ProblemKind } from '../common/problem';
import { problemsOf, type Access } from './access';
import { hasRules } from './dto-validator';
import { endpointOf, type EndpointOptions } from './endpoint';
import { KEY_REUSED, STILL_RUNNING } from './idempotency-key';
import {
  bodyOf,
  CHECKED,
  isDto,
  isRepeatable,
  parametersOf,
  streamsOf,
  type HandlerParameter,
  type OperationBody,
} from './parameters';
import { RulesPipe } from './rules.pipe';

/** One thing that a client can ask for, as its handler declares it. */
export interface Operation {
  /** `PetV2Controller.update`, for those who read a log or mend a mistake. */
  handler: string;
  /** `ALL` for every method. */
  method: string;
  /** The path with its parameters in braces, as in `/v2/pet/{petId}`. */
  template: string;
  access: Access;
  body: OperationBody | undefined;
  /** The bodies that are left to whoever reads them as they come. */
  streams: 'none' | 'files' | 'all';
  /** The largest of these in bytes, where BODY_LIMIT_BYTES is not it. */
  bodyLimit: EndpointOptions['bodyLimit'];
  /** Types of bodies that are taken as bytes, beside the one that is declared. */
  bytes: string[];
  /** The status of the success. */
  status: number;
  /** Failures of its own and of its access; those that every operation may meet are not among them. */
  problems: ProblemKind[];
  /** Whether it creates something and may be repeated under an Idempotency-Key. */
  repeatable: boolean;
  /** Whether it stands in the OpenAPI document. */
  documented: boolean;
  /** Whether the limit on requests that are worked on holds for it. */
  limited: boolean;
}

export type Parameters = Record<string, string | string[]>;

/** One path of a handler, as Nest will register it. */
export interface DeclaredRoute {
  operation: Operation;
  /** As Express reads it: `/v2/pet/:petId`. */
  path: string;
  /** Whether the path is of literal segments and whole parameters alone. */
  isPlain: boolean;
  /** Reads the parameters of a path, still encoded; false for a path that is another. */
  read: MatchFunction<Parameters>;
  answersHead: boolean;
  /** Whether it is for some hosts only, so that others may stand at the same path. */
  isOfHosts: boolean;
}

/** What a controller declares. Throws an Error that names a handler which says too little. */
export function routesOf(controller: Type<object>, modulePath: string | undefined): DeclaredRoute[] {
  const prototype = controller.prototype as Record<string, object>;
  const names = new MetadataScanner().getAllMethodNames(prototype);
  return namesOf(PATH_METADATA, controller).flatMap((controllerPath) =>
    names
      .filter((name) => Reflect.hasMetadata(METHOD_METADATA, prototype[name]!))
      .flatMap((name) => {
        const handler = prototype[name]!;
        const versions = namesOf(VERSION_METADATA, handler)[0] ? handler : controller;
        return namesOf(PATH_METADATA, handler).flatMap((path) =>
          namesOf(VERSION_METADATA, versions).map((version) => {
            const prefix = version === undefined || version === VERSION_NEUTRAL ? '' : `v${String(version)}`;
            return routeOf(controller, name, pathOf([prefix, modulePath, controllerPath, path]));
          }),
        );
      }),
  );
}

/** A decorator of Nest takes one or an array of them. */
function namesOf(metadata: string, target: object): (string | symbol | undefined)[] {
  return [Reflect.getMetadata(metadata, target) as string | symbol | undefined].flat();
}

/** The path as Nest makes it of its parts. */
function pathOf(parts: (string | symbol | undefined)[]): string {
  const path = parts
    .map((part) => String(part ?? '').replace(/^\/|\/$/g, ''))
    .filter((part) => part !== '')
    .join('/');
  return LegacyRouteConverter.tryConvert(`/${path}`, { logs: false });
}

function routeOf(controller: Type<object>, name: string, path: string): DeclaredRoute {
  const handler = (controller.prototype as Record<string, object>)[name]!;
  const place = `${controller.name}.${name}`;
  const endpoint = endpointOf(handler);
  if (!endpoint?.access) {
    throw new Error(`${place} does not say who may call it: add @Endpoint({ access: … })`);
  }
  const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
  const { template, isPlain } = templateOf(path);
  const parameters = parametersOf(controller, name).filter(
    ({ source }) => CHECKED.includes(source) || source === 'idempotency key',
  );
  const documented = endpoint.summary !== undefined;
  if (![handler, controller].some((target) => Reflect.getMetadata(PIPES_METADATA, target) !== undefined)) {
    parameters.forEach((parameter) => checkParameter(place, parameter));
  }
  if (documented && template.includes('{') && !parameters.some(({ source }) => source === 'path')) {
    throw new Error(`${place} does not read the parameters of ${template}, so nobody can describe them: add @Param()`);
  }
  const validation = parameters.length > 0 ? [endpoint.validation ?? VALIDATION_FAILED] : [];
  const repeatable = isRepeatable(controller, name);
  const ofRepeats = repeatable ? [KEY_REUSED, STILL_RUNNING] : [];
  const given = Reflect.getMetadata(HTTP_CODE_METADATA, handler) as number | undefined;
  return {
    operation: {
      handler: place,
      method,
      template,
      access: endpoint.access,
      body: bodyOf(controller, name),
      streams: streamsOf(controller, name),
      bodyLimit: endpoint.bodyLimit,
      bytes: endpoint.bytes ?? [],
      status: given ?? (method === 'POST' ? 201 : 200),
      problems: [...(endpoint.problems ?? []), ...validation, ...problemsOf(endpoint.access), ...ofRepeats],
      repeatable,
      documented,
      limited: endpoint.limited ?? true,
    },
    path,
    isPlain,
    read: match(path, { sensitive: true, decode: (text) => text }),
    answersHead: method === 'GET' && endpoint.head !== false,
    isOfHosts: Reflect.getMetadata(HOST_METADATA, controller) !== undefined,
  };
}

/** The path with its parameters in braces, and whether each is a whole segment. */
function templateOf(path: string): { template: string; isPlain: boolean } {
  const write = (tokens: Token[]): string =>
    tokens
      .map((token) =>
        token.type === 'text' ? token.value : token.type === 'group' ? write(token.tokens) : `{${token.name}}`,
      )
      .join('');
  const { tokens } = parse(path);
  const template = write(tokens);
  const isPlain =
    !path.includes('\\') &&
    tokens.every(({ type }) => type === 'text' || type === 'param') &&
    template.split('/').every((segment) => /^(?:\{\w+\}|[^{}]*)$/.test(segment));
  return { template, isPlain };
}

/**
 * Refuses a body of which nothing would be checked, since the signature names an interface, a type import or a class
 * without rules. A parameter of a path or a query is text, and needs rules only where its class is a DTO.
 */
function checkParameter(place: string, { source, metatype, pipes, index }: HandlerParameter): void {
  const isRead = source !== 'idempotency key' && pipes.every((pipe) => pipe instanceof RulesPipe);
  const isObject = (source === 'body' || source === 'form') && OBJECTS.has(metatype);
  if (isRead && (isObject || (isDto(metatype) && !hasRules(metatype)))) {
    throw new Error(
      `Parameter ${index + 1} of ${place} (${source}) has no rules: ` +
        'name a DTO class with rules, imported as a value, or give the parameter a pipe of its own',
    );
  }
}

const OBJECTS = new Set<unknown>([undefined, Object, Array]);
