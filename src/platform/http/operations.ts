import type { INestApplicationContext, Type } from '@nestjs/common';
import { MODULE_PATH } from '@nestjs/common/internal';
import { ModulesContainer } from '@nestjs/core';
import { METHOD_NOT_ALLOWED, Problem } from '../common/problem';
import { routesOf, type DeclaredRoute, type Operation, type Parameters } from './declared-routes';
import { Resource, allowOf } from './resource';

/** What can be asked for at one path. */
export interface Match {
  /** Those that take the method, in the order in which they are asked: the next one when a handler calls `next`. */
  routes: readonly DeclaredRoute[];
  /** As they were sent, percent-encoded; those of patterns are read when they are asked. */
  parameters: Parameters | undefined;
  /** The value of the Allow header (RFC 9110, 10.2.1). */
  allow: string;
}

/**
 * The table of all operations, made once from what the controllers declare. It alone says which operation a request
 * asks for: to 404 and 405, the guard, the reader of bodies, the limits on load, log, metrics, the OpenAPI document and
 * tests.
 */
export class Operations {
  /** By their paths as Express reads them, in the order of the modules. */
  private readonly resources = new Map<string, Resource>();
  /** Those with parameters. At the first segment that differs, a literal comes before a parameter. */
  private readonly withParameters: Resource[];
  /** Those whose paths are more than literal segments and whole parameters. */
  private readonly patterns: Resource[];
  /** In the order of the modules. */
  readonly all: readonly Operation[];
  /** Allow of the whole service, which `OPTIONS *` asks for. */
  readonly allow: string;

  private constructor(readonly routes: readonly DeclaredRoute[]) {
    this.all = routes.map(({ operation }) => operation);
    for (const route of routes) {
      const resource = this.resources.get(route.path) ?? new Resource(route);
      this.resources.set(route.path, resource);
      resource.add(route);
    }
    const resources = [...this.resources.values()];
    this.patterns = resources.filter(({ isPlain }) => !isPlain);
    this.withParameters = inOrder(resources.filter(({ isPlain, isLiteral }) => isPlain && !isLiteral));
    this.allow = allowOf(resources.flatMap(({ methods }) => methods));
  }

  /** Reads them off the controllers of an app. Throws an Error that names a handler which says too little. */
  static of(app: INestApplicationContext): Operations {
    const modules = app.get(ModulesContainer);
    const routes = [...modules.values()].flatMap(({ metatype, controllers }) => {
      const path = [MODULE_PATH + modules.applicationId, MODULE_PATH]
        .map((key) => Reflect.getMetadata(key, metatype) as string | undefined)
        .find((found) => found !== undefined);
      return [...controllers.values()].flatMap((controller) => routesOf(controller.metatype as Type<object>, path));
    });
    return new Operations(routes);
  }

  /** What can be asked for at a path; the path is without its query. A path that says more comes before a pattern. */
  match(path: string, method: string): Match | undefined {
    const found = this.find(path);
    if (this.patterns.length === 0) {
      return (
        found && { routes: found.resource.taking(method), parameters: found.parameters, allow: found.resource.allow }
      );
    }
    const others = this.patterns.filter((resource) => resource.read(path));
    const resources = found ? [found.resource, ...others] : others;
    return resources.length === 0
      ? undefined
      : {
          routes: resources.flatMap((resource) => resource.taking(method)),
          parameters: found?.parameters,
          allow: allowOf(resources.flatMap(({ methods }) => methods)),
        };
  }

  /** The one resource at a path that is no pattern. */
  private find(path: string): { resource: Resource; parameters?: Parameters } | undefined {
    const named = this.resources.get(path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path);
    if (named?.isLiteral) {
      return { resource: named };
    }
    for (const resource of this.withParameters) {
      const parameters = resource.read(path);
      if (parameters) {
        return { resource, parameters };
      }
    }
    return undefined;
  }

  /** Those of a method at a path as Express reads it, in the order of the modules. */
  routesAt(method: string, path: string): readonly DeclaredRoute[] {
    return this.resources.get(path)?.of(method) ?? [];
  }
}

/** Throws an Error for two that differ in the names of parameters alone. */
function inOrder(resources: Resource[]): Resource[] {
  const rank = ({ template }: Resource) => template.replace(/\{\w+\}/g, '\uffff');
  resources.sort((one, other) => (rank(one) < rank(other) ? -1 : 1));
  for (const [n, { template }] of resources.entries()) {
    const next = resources[n + 1];
    if (next && rank(next) === rank(resources[n]!)) {
      throw new Error(`${next.template} is the path ${template} by another name of a parameter: name it alike`);
    }
  }
  return resources;
}

/** The answer to a method that a path does not have. */
export class MethodNotAllowed extends Problem {
  constructor(allow: string) {
    super(METHOD_NOT_ALLOWED, `This address accepts ${allow}.`);
  }
}
