import {
  Router as ExpressRouter,
  type IRoute,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import { BAD_REQUEST, BROKEN_ESCAPE, Problem } from '../common/problem';
import type { DeclaredRoute, Parameters } from './declared-routes';
import { NothingHere } from './foreign-exception';
import { pathOf } from './located-request';
import { MethodNotAllowed, type Match, type Operations } from './operations';

/**
 * Hands each request to the handler of its operation. Answers OPTIONS itself (204 with Allow; `*` is the whole service)
 * unless a handler takes it. A preflight never reaches a handler.
 */
export class Router {
  private readonly handlers = new Map<DeclaredRoute, { handler: RequestHandler; route: IRoute }>();

  constructor(private readonly operations: Operations) {}

  get isEmpty(): boolean {
    return this.handlers.size === 0;
  }

  /** Nest adds them in the order of the table. Answers whether the route is in it. */
  add(method: string, path: string, handler: RequestHandler): boolean {
    const declared = this.operations.routesAt(method, path).find((route) => !this.handlers.has(route));
    if (declared) {
      this.handlers.set(declared, {
        handler,
        route: ExpressRouter().route(path)[method.toLowerCase() as 'get'](handler),
      });
    }
    return declared !== undefined;
  }

  /** Throws an Error for a handler that Nest has put elsewhere than the table says. */
  checkAll(): void {
    const missing = this.operations.routes.find((route) => !this.handlers.has(route));
    if (missing) {
      const { handler, method, template } = missing.operation;
      throw new Error(
        `${handler} is not at ${method} ${template}: versions are in the path, as in /v2/pet ` +
          '(VersioningType.URI, without another prefix or a default version)',
      );
    }
  }

  /** `next` takes what no operation answers, and every failure, also one that comes long after the handler returned. */
  dispatch(req: Request, res: Response, next: NextFunction): void {
    const { match, operation } = req;
    const isPreflight = req.headers['access-control-request-method'] !== undefined;
    if (req.method === 'OPTIONS' && (match ? !operation || isPreflight : req.url === '*')) {
      res
        .status(204)
        .set('Allow', match?.allow ?? this.operations.allow)
        .end();
    } else if (match && operation) {
      this.ask(0, match, req, res, next);
    } else {
      next();
    }
  }

  /** Why nothing answers: another method on a known path (405 with Allow, RFC 9110), or an unknown path (404). */
  missed({ match, operation }: Request): Error {
    return match && !operation ? new MethodNotAllowed(match.allow) : new NothingHere();
  }

  /** Asks the handler of the nth route, and the next one where that passes the request on; after the last, `next`. */
  private ask(n: number, match: Match, req: Request, res: Response, next: NextFunction): void {
    const route = match.routes[n];
    if (!route) {
      next();
      return;
    }
    const passOn = (error?: unknown) =>
      error == null || error === 'route' ? this.ask(n + 1, match, req, res, next) : next(error);
    try {
      req.operation = route.operation;
      const read = !route.isPlain && route.read(pathOf(req.url));
      req.params = decoded(read ? read.params : match.parameters) as Request['params'];
      const { handler, route: ofExpress } = this.handlers.get(route)!;
      req.route = ofExpress;
      // As in Express: a filter that fails has no other way out, and the process would end.
      Promise.resolve(handler(req, res, passOn)).catch(next);
    } catch (error) {
      next(error);
    }
  }
}

function decoded(parameters: Parameters | undefined): Parameters {
  const all: Parameters = {};
  try {
    for (const name in parameters) {
      const text = parameters[name]!;
      all[name] = typeof text === 'string' ? decodeURIComponent(text) : text.map(decodeURIComponent);
    }
  } catch {
    throw new Problem(BAD_REQUEST, BROKEN_ESCAPE);
  }
  return all;
}
