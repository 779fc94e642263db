import type { Express, NextFunction, Request, Response } from 'express';
import { METHOD_NOT_ALLOWED, NOT_FOUND, NOTHING_HERE, Problem } from '../common/problem';

interface RouteLayer {
  route?: { path: string; methods: Record<string, boolean> };
}

/**
 * Answers what no handler should see: an unknown path (404), another method on a known path (405 with Allow, RFC 9110),
 * OPTIONS (204 with Allow, also of `*`, the whole service). HEAD counts as another method unless a route names it:
 * Express would run the GET handler, and log somebody in or out.
 */
export function allowedMethods(app: Express) {
  let routes: Map<string, string> | undefined;
  return (req: Request, res: Response, next: NextFunction): void => {
    // Nest adds its routes after this middleware, so the table is read at the first request.
    routes ??= routeTable(app);
    const allow = routes.get(req.path);
    if (allow === undefined) {
      throw new Problem(NOT_FOUND, NOTHING_HERE);
    }
    if (req.method === 'OPTIONS') {
      res.status(204).set('Allow', allow).end();
    } else if (allow.split(', ').includes(req.method)) {
      next();
    } else {
      throw new Problem(METHOD_NOT_ALLOWED, `This address takes ${allow}.`, { headers: { Allow: allow } });
    }
  };
}

/** Each path with its Allow header. */
function routeTable(app: Express): Map<string, string> {
  const methods = new Map<string, string[]>();
  for (const { route } of app.router.stack as RouteLayer[]) {
    if (route) {
      const known = methods.get(route.path) ?? [];
      methods.set(route.path, [...known, ...Object.keys(route.methods).map((name) => name.toUpperCase())]);
    }
  }
  methods.set('*', [...methods.values()].flat());
  return new Map([...methods].map(([path, names]) => [path, [...new Set(names), 'OPTIONS'].join(', ')]));
}
