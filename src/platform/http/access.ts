import { problemKind, type ProblemKind } from '../common/problem';
import type { Config } from '../config';

/** Who may call an operation: anyone, the holder of a token, or whoever the operator's policy for it lets in. */
export type Access = 'anyone' | 'token' | keyof Config['accessPolicy'];

export const UNAUTHORIZED = problemKind(
  'unauthorized',
  401,
  'No token, a token that opens nothing, or wrong credentials',
);
export const MALFORMED_AUTHORIZATION = problemKind(
  'malformed-authorization',
  400,
  'The Authorization header is not `Bearer` and a token',
  'Malformed Authorization header',
);
export const INSUFFICIENT_SCOPE = problemKind(
  'insufficient-scope',
  403,
  'The token, from an issuer elsewhere, does not cover this operation',
);
export const ISSUER_UNAVAILABLE = problemKind(
  'issuer-unavailable',
  503,
  'The issuer of the token cannot be asked for its keys; `Retry-After`',
  'Token issuer unavailable',
);
export const CLOSED = problemKind('closed', 403, 'The operator has closed this operation');

/** Whom the settings let call an operation. */
export const policyOf = (access: Access, { accessPolicy }: Pick<Config, 'accessPolicy'>) =>
  access === 'anyone' ? 'open' : access === 'token' ? 'token' : accessPolicy[access];

/** The problems that come of asking who is calling. */
export function problemsOf(access: Access): ProblemKind[] {
  const token = [UNAUTHORIZED, MALFORMED_AUTHORIZATION, INSUFFICIENT_SCOPE, ISSUER_UNAVAILABLE];
  return access === 'anyone' ? [] : access === 'token' ? token : [...token, CLOSED];
}

/** As OpenAPI says it: one of these must be met. The policy may be open, so a client may come without a token. */
export function securityOf(access: Access): Record<string, string[]>[] {
  return access === 'anyone' ? [] : access === 'token' ? [{ bearer: [] }] : [{ bearer: [] }, {}];
}
