import { Problem, problemKind } from '../../platform/common/problem';
import { sha256 } from '../../platform/common/sha256';

export const TOO_MANY_LOGINS = problemKind(
  'too-many-logins',
  429,
  'Too many failed log-ins; `Retry-After` says how long to wait',
  'Too many failed log-ins',
);

export class TooManyLogins extends Problem {
  constructor(account: string, limits: Record<string, string>, seconds: number) {
    super(TOO_MANY_LOGINS, 'Too many log-ins have failed; wait as long as Retry-After says.', {
      headers: { ...limits, 'Retry-After': String(seconds) },
      logged: { account: sha256(account) },
    });
  }
}
