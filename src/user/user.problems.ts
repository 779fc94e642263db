import { Problem, problemKind, type Fault } from '../common/problem';

export const USER_TAKEN = problemKind(
  'user-taken',
  409,
  'User taken',
  'Usernames or ids exist or stand twice; `errors` points to each',
);
export const TOO_MANY_LOGINS = problemKind(
  'too-many-logins',
  429,
  'Too many failed log-ins',
  'Too many failed log-ins; `Retry-After` says how long to wait',
);

/** Usernames or ids that exist already or stand twice in the array. */
export class UserTaken extends Problem {
  constructor(errors: Fault[]) {
    super(USER_TAKEN, 'Usernames or ids are taken; no user was created.', { errors });
  }
}

export class TooManyLogins extends Problem {
  constructor(limits: Record<string, string>, seconds: number) {
    super(TOO_MANY_LOGINS, 'Too many log-ins have failed; wait as long as Retry-After says.', {
      headers: { ...limits, 'Retry-After': String(seconds) },
    });
  }
}
