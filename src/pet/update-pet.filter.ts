import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ValidationFailed } from '../platform/common/problem';
import { ProblemFilter } from '../platform/http';
import { ValidationException } from './pet.problems';

/**
 * PUT /v2/pet answers 400 without a body for a bad id, and 405 for any other bad member.
 * That is the published contract, not a mistake; see docs/decisions.md.
 */
@Catch(ValidationFailed)
export class UpdatePetFilter implements ExceptionFilter<ValidationFailed> {
  private readonly problems = new ProblemFilter();

  catch(failure: ValidationFailed, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const res = http.getResponse<Response>();
    const errors = failure.extra.errors ?? [];
    if (errors.some(({ pointer }) => pointer === '' || pointer === '/id')) {
      res.statusMessage = 'Invalid ID supplied';
      res.status(400).set('Content-Length', '0').end();
    } else {
      this.problems.answer(new ValidationException(errors), http.getRequest<Request>(), res);
    }
  }
}
