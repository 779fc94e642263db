import type { IncomingMessage, ServerResponse } from 'node:http';
import { Overloaded, type Problem } from '../common/problem';

// Made once: an Error that is made for each refusal would cost more than the rest of it.
const OVERLOADED = new Overloaded();

/** Answers a request that no handler sees. */
export function refuse(req: IncomingMessage, res: ServerResponse, problem: Problem = OVERLOADED): void {
  res.statusCode = problem.kind.status;
  res.setHeader('Content-Type', 'application/problem+json; charset=utf-8');
  Object.entries(problem.extra.headers ?? {}).forEach(([name, value]) => res.setHeader(name, value));
  const body = problem.json(req.id);
  // Node says it to HTTP/1.1 only.
  res.setHeader('Content-Length', Buffer.byteLength(body));
  res.end(body);
}

/** The same for a request whose body is not read to its end, so that the connection ends with the answer. */
export function refuseUnfinished(req: IncomingMessage, res: ServerResponse, problem: Problem = OVERLOADED): void {
  if (res.headersSent) {
    req.socket.destroy();
    return;
  }
  res.setHeader('Connection', 'close');
  refuse(req, res, problem);
  // Whoever reads it sees that it has broken off; what still comes is passed over, and the connection ends in stages,
  // so that the answer arrives. As in Node's own, an error is for listeners only: without one it would end the process.
  req.push = () => true;
  req._destroy = (error, done) => done(req.listenerCount('error') > 0 ? error : null);
  req.destroy();
}
