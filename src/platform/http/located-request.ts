import type { IncomingMessage } from 'node:http';
import type { Operation } from './declared-routes';
import type { Match, Operations } from './operations';

declare module 'http' {
  interface IncomingMessage {
    /** What stands at the path of this request; undefined where nothing does. */
    match?: Match;
    /** What this request asks for; undefined where its path has no such method. */
    operation?: Operation;
    /** What the log says of a 401 or a 429. */
    refusal?: object;
  }
}

/** Looks up, once, which operation a request asks for. */
export function locate(req: IncomingMessage, operations: Operations): void {
  req.match = operations.match(pathOf(req.url!), req.method!);
  req.operation = req.match?.routes[0]?.operation;
}

/** The path of a request target in origin-form (RFC 9112, 3.2.1); the server has made every other form that. */
export const pathOf = (target: string): string => target.split('?', 1)[0]!;
