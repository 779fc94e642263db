import { IncomingMessage, ServerResponse, type ServerOptions } from 'node:http';
import type { Express } from 'express';

/**
 * Classes whose instances are born with Express's own prototypes. Express would set these on every request and
 * response, and V8 forgets the shape of an object whose prototype changes: a third of the CPU of a create.
 */
export function bornForExpress({
  request,
  response,
}: Express): Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> {
  return {
    IncomingMessage: withPrototype(IncomingMessage, request),
    ServerResponse: withPrototype(ServerResponse, response),
  } as ServerOptions;
}

// By `extends`, so that V8 reserves room in each instance for all members that Node's constructor sets.
// Without it a response becomes a dictionary, in which reading a member is a search.
function withPrototype(parent: typeof IncomingMessage | typeof ServerResponse, prototype: object): unknown {
  class Born extends (parent as new (...parts: unknown[]) => object) {}
  Object.setPrototypeOf(Born.prototype, prototype); // private: app.request, app.response
  return Born;
}
