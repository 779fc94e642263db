import { Catch, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { throwError, type Observable } from 'rxjs';
import { networksOf } from '../common/network';
import { Problem } from '../common/problem';
import { clientAddress } from './client-address';
import { foreignProblem } from './foreign-exception';

/**
 * The one place where a failure of a handler becomes an answer (RFC 9457). A 5xx says nothing of its cause but what an
 * exception was given to show; the log has it all.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger(ProblemFilter.name);

  catch(error: unknown, host: ArgumentsHost): Observable<never> | void {
    if (host.getType() !== 'http') {
      return this.tellSender(error);
    }
    const http = host.switchToHttp();
    this.answer(error, http.getRequest<Request>(), http.getResponse<Response>());
  }

  /** What Nest does for a message of a microservice; an RpcException is known without its package. */
  private tellSender(error: unknown): Observable<never> {
    const said = (error as { getError?: () => unknown } | null)?.getError?.();
    if (said === undefined) {
      this.logger.error({ err: error });
    }
    return throwError(() =>
      typeof said === 'object' && said !== null ? said : { status: 'error', message: said ?? 'Internal server error' },
    );
  }

  answer(error: unknown, req: Request, res: Response): void {
    if (res.writableEnded && HEADERS_SENT.test((error as Error | null)?.message ?? '')) {
      // The server has refused the request while its handler worked: the rest of its body was no HTTP, say.
      return;
    }
    if (req.destroyed && !req.complete && BROKEN_OFF.test((error as Error | null)?.message ?? '')) {
      // The reader of its body says so. The client has gone, or was answered when the body passed a limit.
      return;
    }
    const problem = error instanceof Problem ? error : foreignProblem(error);
    // A Problem without a cause (overload, say) says all that there is; the request's own line in the log has it.
    if (problem.kind.status >= 500 && (problem !== error || problem.cause !== undefined)) {
      this.logger.error({ requestId: req.id, err: error });
    }
    if (REFUSALS.has(problem.kind.status)) {
      req.refusal = { network: networksOf(clientAddress(req))[0], ...problem.extra.logged };
    }
    if (res.headersSent) {
      // What goes wrong after an answer that is whole does not concern the client.
      if (!res.writableEnded) {
        req.destroy();
      }
      return;
    }
    if (problem.kind.status === 405 && req.match) {
      // RFC 9110, 15.5.6: with every 405, whoever raises it.
      res.set('Allow', req.match.allow);
    }
    res
      .status(problem.kind.status)
      .set(problem.extra.headers ?? {})
      .type('application/problem+json')
      .send(problem.json(req.id));
  }
}

/** Somebody guesses, or a client is set wrong: the log says from where, for people and for fail2ban. */
const REFUSALS = new Set([401, 429]);

/** The words of Node, and of multer. */
const BROKEN_OFF = /^(aborted|Premature close|Request (aborted|closed))$/;
/** The words of Node, and of Express's `sendFile`. */
const HEADERS_SENT = /^Can(?:no|')t set headers after they are sent/;
