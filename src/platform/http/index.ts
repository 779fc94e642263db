/**
 * HTTP in general. `Endpoint` makes a handler an operation, `Operations` is the table of them; rules check what comes
 * in, `ProblemFilter` says what went wrong.
 */
export {
  CLOSED,
  INSUFFICIENT_SCOPE,
  ISSUER_UNAVAILABLE,
  MALFORMED_AUTHORIZATION,
  policyOf,
  problemsOf,
  UNAUTHORIZED,
  type Access,
} from './access';
export { Answer, Changed, Created, Current, Paged } from './answers';
export { continueWhenRead, tooLarge } from './body-bytes';
export { BodyReader } from './body-reader.guard';
export { callerOf, CurrentCaller, nameOf, type Caller } from './caller';
export { Conditions, newVersion, PreconditionFailed, RequestConditions, type Versioned } from './conditions';
export { networkOf, networkOfConnection } from './client-address';
export type { CorsRequest } from './cors';
export { clientOf, CurrentClient } from './current-client';
export { Endpoint, type EndpointOptions } from './endpoint';
export { foreignProblem } from './foreign-exception';
export { Form } from './form';
export { hasBody } from './has-body';
export { KEY_REUSED, REPLAYED_HEADER, STILL_RUNNING } from './idempotency-key';
export { ListOf } from './list-of.pipe';
export { locate } from './located-request';
export { observeRequests, type FinishedRequest } from './observe-requests';
export type { Operation } from './declared-routes';
export { Operations, type Match } from './operations';
export { requestParameter } from './parameters';
export { readPage, wholly, type Found, type Page } from './pages';
export { publicAddress, PUBLIC_URL } from './public-address';
export { ProblemFilter } from './problem.filter';
export { parseQuery } from './query';
export { refuse, refuseUnfinished } from './refusal';
export { assignRequestId, REQUEST_ID } from './request-id';
export { Router } from './router';
export { commonHeaders } from './security-headers';
export { warnOfProxies } from './unbelieved-proxies';
export * from './parameter-rules';
export {
  Example,
  IsFilled,
  IsInt32,
  IsInt64,
  IsName,
  IsNested,
  IsNestedList,
  IsOneOf,
  IsSecret,
  IsText,
  IsTextList,
  MayBeAbsent,
  Meaning,
  rule,
} from './rules';
export { checked, RulesPipe } from './rules.pipe';
