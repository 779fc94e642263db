/**
 * HTTP in general. `Endpoint` makes a handler an operation, `Operations` is the table of them; rules check what comes
 * in, `ProblemFilter` says what went wrong.
 */
export {
  CLOSED,
  INSUFFICIENT_SCOPE,
  ISSUER_UNAVAILABLE,
  MALFORMED_AUTHORIZATION,
  UNAUTHORIZED,
  type Access,
} from './access';
export { BodyReader } from './body-reader.guard';
export {
  answerVersion,
  Conditions,
  PreconditionFailed,
  RequestConditions,
  tellVersion,
  type Versioned,
} from './conditions';
export { networkOf } from './client-address';
export { cors, corsHeaders, EXPOSED_HEADERS } from './cors';
export { CurrentClient } from './current-client';
export { Endpoint, type EndpointOptions } from './endpoint';
export { Form } from './form';
export { hasBody } from './has-body';
export { ByIdempotencyKey, KEY_REUSED, REPLAYED_HEADER, STILL_RUNNING } from './idempotency-key';
export { ListOf } from './list-of.pipe';
export { locate, pathOf } from './located-request';
export { observeRequests, type FinishedRequest } from './observe-requests';
export { Operations, type Match, type Operation } from './operations';
export { answerPage, LINK_HEADER, type Page } from './pages';
export { parametersIn, PathTable } from './path-table';
export { ProblemFilter } from './problem.filter';
export { parseQuery } from './query';
export { assignRequestId, REQUEST_ID } from './request-id';
export { Router } from './router';
export { securityHeaders } from './security-headers';
export * from './parameter-rules';
export {
  IsFilled,
  IsInt32,
  IsInt64,
  IsName,
  IsNested,
  IsNestedList,
  IsNoneOf,
  IsOneOf,
  IsSecret,
  IsText,
  IsTextList,
  MayBeAbsent,
  Meaning,
} from './rules';
export { check, RulesPipe } from './rules.pipe';
