import { MalformedAuthorization } from './auth.problems';

/** RFC 6750, section 2.1: the scheme, whose case does not matter, at least one space, a b64token. */
const BEARER = /^Bearer +([\w.~+/-]+=*)$/i;
/** Straight ones, and curly ones as Node reads their UTF-8. */
const QUOTES = /["'`]|\u00e2\u0080[\u0098-\u009f]/;
/** Another scheme and what goes with it: not for us, so nothing is wrong with it. */
const OTHER_SCHEME = /^(?!Bearer )[!#$%&'*+.^`|~\w-]+ ./i;

/**
 * The bearer token in the lines of the Authorization header; null where there is none, or it is of another scheme.
 * Throws MalformedAuthorization.
 */
export function bearerToken(authorization: string[] = []): string | null {
  const [value = '', ...further] = authorization;
  if (further.length > 0) {
    throw new MalformedAuthorization('The Authorization header stands there more than once.');
  }
  const token = BEARER.exec(value)?.[1];
  if (token !== undefined) {
    return token;
  }
  if (value === '' || OTHER_SCHEME.test(value)) {
    return null;
  }
  throw new MalformedAuthorization(
    QUOTES.test(value)
      ? 'The token stands in quotes; it must follow Bearer and a space without them.'
      : 'The Authorization header must read: Bearer, a space, the token.',
  );
}
