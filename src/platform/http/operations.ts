import type { INestApplicationContext, Type } from '@nestjs/common';
import { MODULE_PATH } from '@nestjs/common/internal';
import { ModulesContainer } from '@nestjs/core';
import { METHOD_NOT_ALLOWED, Problem } from '../common/problem';
import { routesOf, type DeclaredRoute, type Operation } from './declared-routes';
import { PathTable } from './path-table';
import { Resource, allowOf } from './resource';

/** What can be asked for at one path. */
export interface Match {
  /** Those that take the method, in the order in which they are asked: the next one when a handler calls `next`. */
  routes: readonly DeclaredRoute[];
  /** As they were sent, percent-encoded. */
  parameters: Record<string, string>;
  /** The value of the Allow header (RFC 9110, 10.2.1). */
  allow: string;
}

/**
 * The table of all operations, made once from what the controllers say. Whoever asks "which operation is this?"
 * asks it: 404 and 405, the guard, the reader of bodies, the limits on load, log, metrics, the OpenAPI document, tests.
 */
export class Operations {
  private readonly table = new PathTable<Resource>();
  /** Of paths that are more than literal segments and whole parameters, in the order of the modules. */
  private readonly patterns = new Map<string, Resource>();
  /** In the order of the modules. */
  readonly all: readonly Operation[];
  /** Allow of the whole service, which `OPTIONS *` asks for. */
  readonly allow: string;

  private constructor(readonly routes: readonly DeclaredRoute[]) {
    this.all = routes.map(({ operation }) => operation);
    for (const route of routes) {
      this.at(route).add(route);
    }
    this.allow = allowOf(this.all.flatMap((_, n) => this.at(routes[n]!).methods));
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

  private at({ operation, path, pattern }: DeclaredRoute): Resource {
    if (!pattern) {
      return this.table.at(operation.template, () => new Resource());
    }
    const resource = this.patterns.get(path) ?? new Resource(pattern);
    this.patterns.set(path, resource);
    return resource;
  }

  /** What can be asked for at a path; the path is without its query. A path that says more comes before a pattern. */
  match(path: string, method: string): Match | undefined {
    const found = this.table.find(path);
    if (this.patterns.size === 0) {
      return found && { routes: found.value.taking(method), allow: found.value.allow, parameters: found.parameters };
    }
    const others = [...this.patterns.values()].filter(({ pattern }) => pattern!(path));
    const resources = found ? [found.value, ...others] : others;
    return resources.length === 0
      ? undefined
      : {
          routes: resources.flatMap((resource) => resource.taking(method)),
          allow: allowOf(resources.flatMap(({ methods }) => methods)),
          parameters: found?.parameters ?? {},
        };
  }

  /** Those of a method at a path as Express reads it, in the order of the modules. */
  routesAt(method: string, path: string): readonly DeclaredRoute[] {
    return this.patterns.get(path)?.of(method) ?? this.table.get(path.replace(/:(\w+)/g, '{$1}'))?.of(method) ?? [];
  }
}

/** The answer to a method that a path does not have. */
export class MethodNotAllowed extends Problem {
  constructor(allow: string) {
    super(METHOD_NOT_ALLOWED, `This address accepts ${allow}.`);
  }
}
