import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

declare module 'http' {
  interface IncomingMessage {
    /** Stands on the answer, on every problem and on every log line of this request. */
    id: string;
  }
}

/** What is harmless in a log. */
export const REQUEST_ID = /^[\w-]{1,64}$/;

/** Takes the client's X-Request-Id if it is harmless in a log, else makes one. */
export function assignRequestId(req: IncomingMessage, res: ServerResponse): void {
  const given = req.headers['x-request-id'];
  req.id = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
  res.setHeader('X-Request-Id', req.id);
}
