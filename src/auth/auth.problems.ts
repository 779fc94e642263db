import { Problem, problemKind } from '../common/problem';

const REALM = 'Bearer realm="pet-user-service"';

export const UNAUTHORIZED = problemKind(
  'unauthorized',
  401,
  'Unauthorized',
  'No token, a token that opens nothing, or wrong credentials',
);
export const MALFORMED_AUTHORIZATION = problemKind(
  'malformed-authorization',
  400,
  'Malformed Authorization header',
  'The Authorization header is not `Bearer` and a token',
);
export const INSUFFICIENT_SCOPE = problemKind(
  'insufficient-scope',
  403,
  'Insufficient scope',
  'The token, from an issuer elsewhere, does not cover this operation',
);
export const ISSUER_UNAVAILABLE = problemKind(
  'issuer-unavailable',
  503,
  'Token issuer unavailable',
  'The issuer of the token cannot be asked for its keys; `Retry-After`',
);
export const CLOSED = problemKind('closed', 403, 'Closed', 'The operator has closed this operation');

/** RFC 6750, section 3: a request without credentials is told no error code. */
export class MissingToken extends Problem {
  constructor() {
    super(UNAUTHORIZED, 'This operation takes a bearer token.', { headers: { 'WWW-Authenticate': REALM } });
  }
}

export class InvalidToken extends Problem {
  constructor() {
    super(UNAUTHORIZED, 'The bearer token is unknown, expired or ended.', {
      headers: { 'WWW-Authenticate': `${REALM}, error="invalid_token"` },
    });
  }
}

export class MalformedAuthorization extends Problem {
  constructor() {
    super(MALFORMED_AUTHORIZATION, 'The Authorization header must read: Bearer, a space, the token.', {
      headers: { 'WWW-Authenticate': `${REALM}, error="invalid_request"` },
    });
  }
}

/** RFC 6750, section 3.1: the token is good, but was not issued for this. */
export class InsufficientScope extends Problem {
  constructor(scopes: string[]) {
    super(INSUFFICIENT_SCOPE, 'The bearer token does not cover this operation.', {
      headers: { 'WWW-Authenticate': `${REALM}, error="insufficient_scope", scope="${scopes.join(' ')}"` },
    });
  }
}

/** Whoever issued the token cannot be asked for its keys; the cause is for the log. */
export class IssuerUnavailable extends Problem {
  constructor(cause: unknown) {
    const headers = { 'Retry-After': '5' };
    super(ISSUER_UNAVAILABLE, 'The bearer token cannot be checked at the moment.', { headers }, { cause });
  }
}

export class BadCredentials extends Problem {
  constructor(headers: Record<string, string>) {
    super(UNAUTHORIZED, 'The username or the password is wrong.', {
      headers: { ...headers, 'WWW-Authenticate': REALM },
    });
  }
}

export class DoorClosed extends Problem {
  constructor() {
    super(CLOSED, 'The operator has closed this operation.');
  }
}
