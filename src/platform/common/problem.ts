import { HttpException } from '@nestjs/common';
import { writeJson } from './json';

/** One kind of failure a client can meet. `type` is a stable relative URI; docs/problems.md lists them all. */
export interface ProblemKind {
  type: string;
  title: string;
  status: number;
  /** When it is answered, for the OpenAPI document and docs/problems.md. */
  meaning: string;
}

/** What is wrong with one member: `pointer` is a JSON Pointer into the body (RFC 6901) or a parameter's name. */
export interface Fault {
  pointer: string;
  detail: string;
}

/**
 * A failure that the client hears of. ProblemFilter writes it as `application/problem+json` (RFC 9457). It is an
 * exception of Nest, so that any other filter finds the same status and members.
 */
export class Problem extends HttpException {
  constructor(
    readonly kind: ProblemKind,
    readonly detail: string,
    /** `members` are further ones of the body (RFC 9457, 3.2); `logged` stands only in the log. */
    readonly extra: { errors?: Fault[]; headers?: Record<string, string>; members?: object; logged?: object } = {},
    options?: ErrorOptions,
  ) {
    super(detail, kind.status, options);
  }

  override getResponse(): object {
    const { type, title, status } = this.kind;
    return { type, title, status, detail: this.detail, errors: this.extra.errors, ...this.extra.members };
  }

  /** The body that the client gets. */
  json(requestId: string): string {
    return writeJson({ ...this.getResponse(), requestId });
  }
}

/** The title is the name in words, where no other is given. */
export const problemKind = (name: string, status: number, meaning: string, title = inWords(name)): ProblemKind => ({
  type: `/problems/${name}`,
  title,
  status,
  meaning,
});

const inWords = (name: string) => name[0]!.toUpperCase() + name.slice(1).replaceAll('-', ' ');

export const BAD_REQUEST = problemKind(
  'bad-request',
  400,
  'Not HTTP, a header, escape or form that cannot be read, or a body that its headers misdescribe',
);
export const BROKEN_ESCAPE = 'The path holds a broken percent escape.';
export const MALFORMED_JSON = problemKind(
  'malformed-json',
  400,
  'No body, not JSON in UTF-8, or nested deeper than 32 levels, or more than 100000 objects and arrays',
  'Malformed JSON',
);
export const VALIDATION_FAILED = problemKind(
  'validation-failed',
  400,
  'Members or parameters break the rules; `errors` says which',
);
export const NOT_FOUND = problemKind('not-found', 404, 'Nothing at this address');
export const NOTHING_HERE = 'There is nothing at this address; the OpenAPI document lists what there is.';
export const METHOD_NOT_ALLOWED = problemKind(
  'method-not-allowed',
  405,
  'The address takes other methods; `Allow` names them',
);
export const REQUEST_TIMEOUT = problemKind('request-timeout', 408, 'The request did not arrive whole in time');
export const PRECONDITION_FAILED = problemKind(
  'precondition-failed',
  412,
  '`If-Match` or `If-None-Match` asks for another state of the thing; nothing was done',
);
export const BODY_TOO_LARGE = problemKind('body-too-large', 413, 'The body is larger than the service takes');
export const UNSUPPORTED_MEDIA_TYPE = problemKind(
  'unsupported-media-type',
  415,
  'Another media type, charset or content coding than the operation takes',
);
export const RANGE_NOT_SATISFIABLE = problemKind(
  'range-not-satisfiable',
  416,
  'A file is shorter than the range that is asked for; `Content-Range` says how long it is',
);
export const HEADERS_TOO_LARGE = problemKind('headers-too-large', 431, 'Address and headers together exceed 16 KiB');
export const INTERNAL_ERROR = problemKind(
  'internal-error',
  500,
  'The service failed; `requestId` finds the cause in its log',
  'Internal server error',
);
export const NOT_IMPLEMENTED = problemKind('not-implemented', 501, 'A transfer coding other than `chunked`');
export const OVERLOADED = problemKind(
  'overloaded',
  503,
  'More work is waiting than the service takes; `Retry-After`',
  'Service overloaded',
);
export const UNAVAILABLE = problemKind(
  'unavailable',
  503,
  'The database is not available for now, nothing was stored; `Retry-After`',
  'Service unavailable',
);
export const OUTCOME_UNKNOWN = problemKind(
  'outcome-unknown',
  504,
  'The database fell silent; the change may be stored or not',
);

/** An answer lists at most so many faults: more would help nobody, and make a big answer of a small request. */
export const MAX_FAULTS = 100;

/** Members of a JSON body or parameters that break the rules: 400, each fault with its place, up to MAX_FAULTS. */
export class ValidationFailed extends Problem {
  constructor(faults: Fault[]) {
    const errors = faults.slice(0, MAX_FAULTS);
    const cut = errors.length < faults.length ? ` for the first ${MAX_FAULTS} faults` : '';
    super(VALIDATION_FAILED, `The request breaks the rules; errors says where, and which${cut}.`, { errors });
  }
}

/** Throws ValidationFailed where there are any. */
export function refuseFaults(faults: Fault[]): void {
  if (faults.length > 0) {
    throw new ValidationFailed(faults);
  }
}

/** More work is waiting than the service takes on: 503, with the seconds after which to try again. */
export class Overloaded extends Problem {
  constructor(seconds = 1) {
    const headers = { 'Retry-After': String(seconds) };
    super(OVERLOADED, 'More work is waiting than the service takes on.', { headers });
  }
}

/** The database cannot do its work for now, and nothing was stored: 503, try again. The cause is for the log. */
export class Unavailable extends Problem {
  constructor(cause: unknown) {
    const headers = { 'Retry-After': '1' };
    super(UNAVAILABLE, 'The database is not available for now; nothing was stored.', { headers }, { cause });
  }
}

/** The database fell silent while it stored the change: 504, read what is stored. The cause is for the log. */
export class OutcomeUnknown extends Problem {
  constructor(cause: unknown) {
    super(OUTCOME_UNKNOWN, 'The database fell silent; the change may be stored or not.', {}, { cause });
  }
}
