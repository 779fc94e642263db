import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';

declare module 'http' {
  interface IncomingMessage {
    /** Stands on the answer, on every problem and on every log line of this request. */
    id: string;
  }
}

/** What is harmless in a log. */
export const REQUEST_ID = /^[\w-]{1,64}$/;

/** Takes the client's X-Request-Id if it is harmless in a log, else makes one. */
export function requestId(req: Request, res: Response, next: NextFunction): void {
  const given = req.get('x-request-id');
  req.id = given !== undefined && REQUEST_ID.test(given) ? given : randomUUID();
  res.setHeader('X-Request-Id', req.id);
  next();
}
