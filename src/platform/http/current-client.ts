import type { Request, Response } from 'express';
import type { Client } from '../common/client';
import { BAD_REQUEST, Problem } from '../common/problem';
import { clientAddress } from './client-address';
import { requestParameter } from './parameters';

/** What a client that has gone would be answered. */
export const clientGone = () => new Problem(BAD_REQUEST, 'The client went away; nobody reads this.');

export function clientOf(req: Request, res: Response): Client {
  const controller = new AbortController();
  const abort = () => {
    if (!res.writableFinished) {
      controller.abort(clientGone());
    }
  };
  if (res.closed) {
    abort();
  }
  res.once('close', abort);
  return { address: clientAddress(req), gone: controller.signal };
}

/** A handler's parameter: the Client. */
export const CurrentClient = requestParameter('other', clientOf);
