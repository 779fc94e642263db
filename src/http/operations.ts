import { RequestMethod, VERSION_NEUTRAL, type INestApplicationContext, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA, VERSION_METADATA } from '@nestjs/common/internal';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import { METHOD_NOT_ALLOWED, Problem, VALIDATION_FAILED, type ProblemKind } from '../common/problem';
import { hasRules } from './checker';
import { problemsOf, type Access } from './access';
import { endpointOf } from './endpoint';
import { KEY_REUSED, STILL_RUNNING } from './idempotency-key';
import { bodyOf, isRepeatable, itemsOf, parametersOf, type HandlerParameter, type OperationBody } from './parameters';
import { parametersIn, PathTable } from './path-table';

/** One thing that a client can ask for, as its handler says it. */
export interface Operation {
  /** `PetV2Controller.update`, for those who read a log or mend a mistake. */
  handler: string;
  method: string;
  /** The path with its parameters in braces, as in `/v2/pet/{petId}`. */
  template: string;
  access: Access;
  body: OperationBody | undefined;
  /** Of the success. */
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

/** What can be asked for at one path. */
export interface Match {
  operations: ReadonlyMap<string, Operation>;
  /** As they were sent, percent-encoded. */
  parameters: Record<string, string>;
  /** The value of the Allow header (RFC 9110, 10.2.1). */
  allow: string;
}

interface Resource {
  operations: Map<string, Operation>;
  allow: string;
}

/**
 * The table of all operations, made once from what the controllers say. Whoever asks "which operation is this?"
 * asks it: 404 and 405, the guard, the reader of bodies, the limits on load, log, metrics, the OpenAPI document, tests.
 */
export class Operations {
  private readonly table = new PathTable<Resource>();
  private readonly byHandler = new Map<string, Operation>();
  /** In the order of the modules. */
  readonly all: readonly Operation[];
  /** Allow of the whole service, which `OPTIONS *` asks for. */
  readonly allow: string;

  private constructor(operations: Operation[], withHead: ReadonlySet<Operation>) {
    this.all = operations;
    for (const operation of operations) {
      const { operations: known } = this.table.at(operation.template, () => ({ operations: new Map(), allow: '' }));
      if (known.has(operation.method)) {
        throw new Error(`${operation.handler} takes ${operation.method} ${operation.template}, which is taken`);
      }
      known.set(operation.method, operation);
      if (withHead.has(operation)) {
        known.set('HEAD', operation);
      }
      this.byHandler.set(key(operation.method, operation.template), operation);
    }
    const methods = new Set<string>();
    for (const { template } of operations) {
      const resource = this.table.at(template, () => ({ operations: new Map(), allow: '' }));
      resource.allow = [...resource.operations.keys(), 'OPTIONS'].join(', ');
      [...resource.operations.keys()].forEach((method) => methods.add(method));
    }
    this.allow = [...methods, 'OPTIONS'].join(', ');
  }

  /** Reads them off the controllers of an app. Throws an Error that names a handler which says too little. */
  static of(app: INestApplicationContext): Operations {
    const controllers = [...app.get(ModulesContainer).values()]
      .flatMap((module) => [...module.controllers.values()])
      .map(({ metatype }) => metatype as Type<object>);
    const withHead = new Set<Operation>();
    const operations = controllers.flatMap((controller) => operationsOf(controller, withHead));
    return new Operations(operations, withHead);
  }

  /** What can be asked for at a path; the path is without its query. */
  match(path: string): Match | undefined {
    const found = this.table.find(path);
    return found && { ...found.value, parameters: found.parameters };
  }

  get(method: string, template: string): Operation | undefined {
    return this.byHandler.get(key(method, template));
  }
}

const key = (method: string, template: string) => `${method} ${template}`;

/** The answer to a method that a path does not have. */
export class MethodNotAllowed extends Problem {
  constructor(allow: string) {
    super(METHOD_NOT_ALLOWED, `This address accepts ${allow}.`);
  }
}

function operationsOf(controller: Type<object>, withHead: Set<Operation>): Operation[] {
  const prototype = controller.prototype as Record<string, object>;
  return new MetadataScanner().getAllMethodNames(prototype).flatMap((name) => {
    const handler = prototype[name]!;
    const requestMethod = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
    if (requestMethod === undefined) {
      return [];
    }
    const place = `${controller.name}.${name}`;
    const endpoint = endpointOf(handler);
    if (!endpoint?.access) {
      throw new Error(`${place} does not say who may call it: add @Endpoint({ access: … })`);
    }
    const template = templateOf(controller, handler);
    const parameters = parametersOf(controller, name).filter(({ source }) => source !== 'other');
    checkParameters(place, template, parameters);
    const validation = parameters.length > 0 ? [endpoint.validation ?? VALIDATION_FAILED] : [];
    const repeatable = isRepeatable(controller, name);
    const ofRepeats = repeatable ? [KEY_REUSED, STILL_RUNNING] : [];
    const operation: Operation = {
      handler: place,
      method: RequestMethod[requestMethod],
      template,
      access: endpoint.access,
      body: bodyOf(controller, name),
      status: endpoint.answer?.status ?? 200,
      problems: [...(endpoint.problems ?? []), ...validation, ...problemsOf(endpoint.access), ...ofRepeats],
      repeatable,
      documented: endpoint.summary !== undefined,
      limited: endpoint.limited ?? true,
    };
    if (operation.method === 'GET' && endpoint.head !== false) {
      withHead.add(operation);
    }
    return [operation];
  });
}

/** The path as Nest puts it together: version, controller, handler. */
function templateOf(controller: Type<object>, handler: object): string {
  const meta = (name: string, target: object) => Reflect.getMetadata(name, target) as string | symbol | undefined;
  const version = meta(VERSION_METADATA, controller);
  const prefix = version === undefined || version === VERSION_NEUTRAL ? '' : `v${String(version)}`;
  const parts = [prefix, meta(PATH_METADATA, controller), meta(PATH_METADATA, handler)];
  const path = parts
    .map((part) => String(part ?? '').replace(/^\/|\/$/g, ''))
    .filter((part) => part !== '')
    .join('/');
  return `/${path.replace(/:(\w+)/g, '{$1}')}`;
}

/**
 * Nest checks nothing where a signature names no class with rules: an interface, a type import, a built-in type.
 * Such a parameter stops the start instead of passing unchecked.
 */
function checkParameters(place: string, template: string, parameters: HandlerParameter[]): void {
  for (const { source, metatype, pipes, index } of parameters) {
    const checked =
      source === 'idempotency key' ||
      pipes.some((pipe) => itemsOf(pipe) !== undefined) ||
      (metatype !== undefined && hasRules(metatype));
    if (!checked) {
      throw new Error(
        `Parameter ${index + 1} of ${place} (${source}) has no rules: name a DTO class with rules, imported as a value`,
      );
    }
  }
  if (parametersIn(template).length > 0 && !parameters.some(({ source }) => source === 'path')) {
    throw new Error(`${place} does not read the parameters of ${template}: add @Param() with a DTO class`);
  }
}
