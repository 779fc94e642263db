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

export class BadCredentials extends Problem {
  constructor() {
    super(UNAUTHORIZED, 'The username or the password is wrong.', { headers: { 'WWW-Authenticate': REALM } });
  }
}

export class DoorClosed extends Problem {
  constructor() {
    super(CLOSED, 'The operator has closed this operation.');
  }
}
