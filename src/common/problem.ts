/** One kind of failure a client can meet. `type` is a stable relative URI, described in docs/problems.md. */
export interface ProblemKind {
  type: string;
  title: string;
  status: number;
}

/** What is wrong with one member: `pointer` is a JSON Pointer into the body (RFC 6901) or a parameter's name. */
export interface Fault {
  pointer: string;
  detail: string;
}

/** A failure the client is told about, written by ProblemFilter as RFC 9457 `application/problem+json`. */
export class Problem extends Error {
  constructor(
    readonly kind: ProblemKind,
    readonly detail: string,
    readonly extra: { errors?: Fault[]; headers?: Record<string, string> } = {},
  ) {
    super(detail);
  }
}

const kind = (name: string, status: number, title: string): ProblemKind => ({
  type: `/problems/${name}`,
  title,
  status,
});

export const BAD_REQUEST = kind('bad-request', 400, 'Bad request');
export const MALFORMED_JSON = kind('malformed-json', 400, 'Malformed JSON');
export const VALIDATION_FAILED = kind('validation-failed', 400, 'Validation failed');
export const NOT_FOUND = kind('not-found', 404, 'Not found');
export const METHOD_NOT_ALLOWED = kind('method-not-allowed', 405, 'Method not allowed');
export const BODY_TOO_LARGE = kind('body-too-large', 413, 'Body too large');
export const UNSUPPORTED_MEDIA_TYPE = kind('unsupported-media-type', 415, 'Unsupported media type');
export const INTERNAL_ERROR = kind('internal-error', 500, 'Internal server error');
export const OVERLOADED = kind('overloaded', 503, 'Service overloaded');

/** Members of a JSON body or parameters of a query that break the rules: 400, each fault with its place. */
export class ValidationFailed extends Problem {
  constructor(errors: Fault[]) {
    super(VALIDATION_FAILED, `${errors.length} member(s) of the request are invalid.`, { errors });
  }
}

/** More work is waiting than the service accepts: 503, come back in a moment. */
export class Overloaded extends Problem {
  constructor() {
    super(OVERLOADED, 'More work is waiting than the service takes on.', { headers: { 'Retry-After': '1' } });
  }
}
