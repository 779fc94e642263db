import { requestParameter } from './parameters';

/**
 * A handler's parameter: the members of an `application/x-www-form-urlencoded` body and the parameters of the query.
 * Its class has rules for parameters.
 */
export const Form = requestParameter('form', (req): unknown => req.body);
