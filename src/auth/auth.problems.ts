import { Problem } from '../common/problem';

const REALM = 'Bearer realm="pet-user-service"';

const unauthorized = { type: '/problems/unauthorized', title: 'Unauthorized', status: 401 };
const malformed = { type: '/problems/malformed-authorization', title: 'Malformed Authorization header', status: 400 };
const closed = { type: '/problems/closed', title: 'Closed', status: 403 };

/** RFC 6750, section 3: a request without credentials is told no error code. */
export class MissingToken extends Problem {
  constructor() {
    super(unauthorized, 'This operation takes a bearer token.', { headers: { 'WWW-Authenticate': REALM } });
  }
}

export class InvalidToken extends Problem {
  constructor() {
    super(unauthorized, 'The bearer token is unknown, expired or ended.', {
      headers: { 'WWW-Authenticate': `${REALM}, error="invalid_token"` },
    });
  }
}

export class MalformedAuthorization extends Problem {
  constructor() {
    super(malformed, 'The Authorization header must read: Bearer, a space, the token.', {
      headers: { 'WWW-Authenticate': `${REALM}, error="invalid_request"` },
    });
  }
}

export class BadCredentials extends Problem {
  constructor() {
    super(unauthorized, 'The username or the password is wrong.', { headers: { 'WWW-Authenticate': REALM } });
  }
}

export class DoorClosed extends Problem {
  constructor() {
    super(closed, 'The operator has closed this operation.');
  }
}
