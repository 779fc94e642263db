import type { IncomingMessage, ServerResponse } from 'node:http';
import { Overloaded, type Problem } from '../common/problem';

// Made once: an Error for each refusal would cost more than the rest of the refusal.
const OVERLOADED = new Overloaded();

/** Answers a request that no handler sees. */
export function refuse(req: IncomingMessage, res: ServerResponse, problem: Problem = OVERLOADED): void {
  res.statusCode = problem.kind.status;
  res.setHeader('Content-Type', 'application/problem+json; charset=utf-8');
  Object.entries(problem.extra.headers ?? {}).forEach(([name, value]) => res.setHeader(name, value));
  const body = problem.json(req.id);
  // Node itself sets it for HTTP/1.1 only.
  res.setHeader('Content-Length', Buffer.byteLength(body));
  res.end(body);
}

/** The same for a request whose body is not read to its end: the connection ends with the answer. */
export function refuseUnfinished(req: IncomingMessage, res: ServerResponse, problem: Problem = OVERLOADED): void {
  if (res.headersSent) {
    req.socket.destroy();
    return;
  }
  res.setHeader('Connection', 'close');
  refuse(req, res, problem);
  // Whoever reads the body sees that it has broken off. What still comes is dropped, and the connection ends in stages,
  // so that the answer arrives. As in Node's own `_destroy`, an error needs a listener: without one it would end the
  // process.
  req.push = () => true; // private: IncomingMessage.push, IncomingMessage._destroy
  req._destroy = (error, done) => done(req.listenerCount('error') > 0 ? error : null);
  req.destroy();
}
