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

// Node's classes are functions of the old kind: called on an object, they make it one of theirs.
function withPrototype(parent: typeof IncomingMessage | typeof ServerResponse, prototype: object): unknown {
  const make = parent as unknown as { call(self: unknown, first: unknown, second: unknown): void };
  function Born(this: unknown, first: unknown, second: unknown): void {
    make.call(this, first, second);
  }
  Born.prototype = prototype;
  return Born;
}
