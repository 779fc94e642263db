import { Problem, type Fault } from '../common/problem';

/** Usernames or ids that exist already or stand twice in the array. */
export class UserTaken extends Problem {
  constructor(errors: Fault[]) {
    super(
      { type: '/problems/user-taken', title: 'User taken', status: 409 },
      'Usernames or ids are taken; no user was created.',
      { errors },
    );
  }
}

export class TooManyLogins extends Problem {
  constructor(seconds: number) {
    super(
      { type: '/problems/too-many-logins', title: 'Too many failed log-ins', status: 429 },
      'Too many log-ins have failed; wait as long as Retry-After says.',
      { headers: { 'Retry-After': String(seconds) } },
    );
  }
}
