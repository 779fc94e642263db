import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/** Known by this function, so that the table of operations sees where a form is declared. */
export const readForm = (_: unknown, context: ExecutionContext): unknown =>
  context.switchToHttp().getRequest<Request>().body;

/**
 * A handler's parameter: the members of an `application/x-www-form-urlencoded` body and the parameters of the query.
 * Its class has rules for parameters.
 */
export const Form = createParamDecorator(readForm);
