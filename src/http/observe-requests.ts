import type { Request, Response } from 'express';

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
  /** The client had gone before the answer was complete. */
  aborted: boolean;
}

/** Tells the observers about every request, once. */
export function observeRequests(...observers: ((finished: FinishedRequest) => void)[]) {
  return (req: Request, res: Response): void => {
    const start = performance.now();
    res.once('close', () => {
      const finished: FinishedRequest = {
        id: req.id,
        method: req.method,
        route: req.operation?.template ?? null,
        status: res.headersSent ? res.statusCode : null,
        ms: Math.round((performance.now() - start) * 1_000) / 1_000,
        userId: (req as { user?: { subject?: string } }).user?.subject,
        aborted: !res.writableFinished,
      };
      observers.forEach((observe) => observe(finished));
    });
  };
}
