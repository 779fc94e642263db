import type { Request, Response } from 'express';
import { callerOf, nameOf } from './caller';

/** A request whose answer was sent, or whose client has gone. */
export interface FinishedRequest {
  id: string;
  method: string;
  /** The route's template, never the URL, whose query may hold a password; null where no route was reached. */
  route: string | null;
  /** Null when the client had gone before the answer began. */
  status: number | null;
  ms: number;
  /** Whose bearer token was shown. */
  userId?: string;
  /** Of a 401 or a 429: the network that is counted, and the reason or the account. */
  refusal?: object;
  /** The client had gone before the answer was complete. */
  aborted: boolean;
}

/** Tells the observers about every request, once. */
export function observeRequests(...observers: ((finished: FinishedRequest) => void)[]) {
  return (req: Request, res: Response): void => {
    const start = performance.now();
    const end = () => {
      const caller = callerOf(req);
      const finished: FinishedRequest = {
        id: req.id,
        method: req.method,
        route: req.operation?.template ?? null,
        status: hasBegun(req, res) ? res.statusCode : null,
        ms: Math.round((performance.now() - start) * 1_000) / 1_000,
        userId: caller && nameOf(caller),
        refusal: req.refusal,
        aborted: !res.writableFinished,
      };
      observers.forEach((observe) => observe(finished));
    };
    if (res.closed) {
      end();
    } else {
      res.once('close', end);
    }
  };
}

/** An answer that waited in a pipeline until its connection had ended never had that connection. */
const hasBegun = (req: Request, res: Response) =>
  res.headersSent && (res.writableFinished || res.socket === req.socket);
