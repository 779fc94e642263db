import type { Request, RequestHandler, Response } from 'express';
import { BAD_REQUEST, NOT_FOUND, NOTHING_HERE, Problem } from '../common/problem';
import { MethodNotAllowed, type Operation, type Operations } from './operations';

/**
 * Hands each request to the handler of its operation. Answers what no handler should see: an unknown path (404),
 * another method on a known path (405 with Allow, RFC 9110), OPTIONS (204 with Allow, also of `*`, the whole service).
 */
export class Router {
  private readonly handlers = new Map<Operation, RequestHandler>();

  constructor(private readonly operations: Operations) {}

  /** Throws an Error for a route that is not in the table. */
  add(method: string, template: string, handler: RequestHandler): void {
    const operation = this.operations.get(method, template);
    if (!operation) {
      throw new Error(`${method} ${template} is no operation: routes come from controllers only`);
    }
    this.handlers.set(operation, handler);
  }

  dispatch(req: Request, res: Response): void {
    const { match, operation } = req;
    if (req.method === 'OPTIONS' && (match || req.url === '*')) {
      res
        .status(204)
        .set('Allow', match?.allow ?? this.operations.allow)
        .end();
      return;
    }
    if (!match) {
      throw new Problem(NOT_FOUND, NOTHING_HERE);
    }
    if (!operation) {
      throw new MethodNotAllowed(match.allow);
    }
    req.params = decoded(match.parameters);
    this.handlers.get(operation)!(req, res, noNext);
  }
}

/** Nest's handlers answer, their failures too. */
const noNext = () => undefined;

function decoded(parameters: Record<string, string>): Record<string, string> {
  try {
    return Object.fromEntries(Object.entries(parameters).map(([name, text]) => [name, decodeURIComponent(text)]));
  } catch {
    throw new Problem(BAD_REQUEST, 'The path holds a broken percent escape.');
  }
}
