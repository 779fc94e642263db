import { Catch, HttpException, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { BAD_REQUEST, INTERNAL_ERROR, NOT_FOUND, NOTHING_HERE, Problem } from '../common/problem';

/**
 * The one place where a failure becomes an answer (RFC 9457). Foreign errors are answered in our words:
 * never a stack, SQL, a path or the URL. A 5xx says nothing of its cause; the log does.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger(ProblemFilter.name);

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(error, http.getRequest<Request>(), http.getResponse<Response>());
  }

  answer(error: unknown, req: Request, res: Response): void {
    if (res.writableEnded && (error as NodeJS.ErrnoException | null)?.code === 'ERR_HTTP_HEADERS_SENT') {
      // The server has refused it while its handler worked, as when the rest of its body was no HTTP.
      return;
    }
    const problem = asProblem(error);
    // A problem of ours without a cause (overload) is all that there is to say; the line of the request has it.
    if (problem.kind.status >= 500 && (problem !== error || problem.cause !== undefined)) {
      this.logger.error({ requestId: req.id, err: error });
    }
    if (res.headersSent) {
      req.destroy();
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

function asProblem(error: unknown): Problem {
  if (error instanceof Problem) {
    return error;
  }
  // Express and its parsers raise http-errors, Nest's router an HttpException; only the status is taken from them.
  const status = error instanceof HttpException ? error.getStatus() : (error as { status?: unknown } | null)?.status;
  if (status === 404) {
    return new Problem(NOT_FOUND, NOTHING_HERE);
  }
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new Problem(BAD_REQUEST, 'The request could not be understood.');
  }
  return new Problem(INTERNAL_ERROR, 'The service failed; the request id finds the cause in its log.');
}
