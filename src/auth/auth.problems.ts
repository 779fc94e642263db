import { Problem } from '../platform/common/problem';
import { sha256 } from '../platform/common/sha256';
import {
  CLOSED,
  INSUFFICIENT_SCOPE,
  ISSUER_UNAVAILABLE,
  MALFORMED_AUTHORIZATION,
  UNAUTHORIZED,
} from '../platform/http';

const REALM = 'Bearer realm="pet-user-service"';

/** RFC 6750, section 3: a request without credentials is told no error code. */
export class MissingToken extends Problem {
  constructor() {
    super(UNAUTHORIZED, 'This operation requires a bearer token.', { headers: { 'WWW-Authenticate': REALM } });
  }
}

/** The reason is for the log: it tells an operator what is set wrong, and would tell a stranger as much. */
export class InvalidToken extends Problem {
  constructor(reason?: string) {
    super(UNAUTHORIZED, 'The bearer token is unknown, expired or ended.', {
      headers: { 'WWW-Authenticate': `${REALM}, error="invalid_token"` },
      logged: { reason },
    });
  }
}

export class MalformedAuthorization extends Problem {
  constructor(detail: string) {
    super(MALFORMED_AUTHORIZATION, detail, {
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

/** `account` is the name in NFC, which the log is told as a hash. */
export class BadCredentials extends Problem {
  constructor(account: string, headers: Record<string, string>) {
    super(UNAUTHORIZED, 'The username or the password is wrong.', {
      headers: { ...headers, 'WWW-Authenticate': REALM },
      logged: { account: sha256(account) },
    });
  }
}

export class OperationClosed extends Problem {
  constructor() {
    super(CLOSED, 'The operator has closed this operation.');
  }
}
