import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import { BAD_REQUEST, Problem } from '../common/problem';

/** A handler's parameter: an AbortSignal, aborted when the client goes away before it has its answer. */
export const ClientGone = createParamDecorator((_: unknown, context: ExecutionContext): AbortSignal => {
  const res = context.switchToHttp().getResponse<Response>();
  const controller = new AbortController();
  const look = () => {
    if (!res.writableFinished) {
      controller.abort(new Problem(BAD_REQUEST, 'The client went away; nobody reads this.'));
    }
  };
  if (res.closed) {
    look();
  }
  res.once('close', look);
  return controller.signal;
});
