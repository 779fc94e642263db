import { Problem, problemKind, ValidationFailed, type Fault } from '../platform/common/problem';
import { USERNAME_RULE } from './username';

export const USER_TAKEN = problemKind(
  'user-taken',
  409,
  'Usernames or ids exist or stand twice; `errors` points to each',
);

/** Usernames or ids that exist already or stand twice in the array. */
export class UserTaken extends Problem {
  constructor(errors: Fault[]) {
    super(USER_TAKEN, 'Usernames or ids are taken; nothing was stored.', { errors });
  }
}

export const NOT_THAT_USER = problemKind(
  'not-that-user',
  403,
  'The token is not of the user whom the address names, if there is one',
);

/** The same whether there is such a user or not. */
export class NotThatUser extends Problem {
  constructor() {
    super(NOT_THAT_USER, 'Users see and change themselves only: the bearer token is not of the user in the address.');
  }
}

export class IdDiffers extends ValidationFailed {
  constructor() {
    super([{ pointer: '/id', detail: 'must be absent, 0 or the id that the user has' }]);
  }
}

/** The name that a user is to have from now on; the one that he has may be of an earlier release. */
export class BadUsername extends ValidationFailed {
  constructor() {
    super([{ pointer: '/username', detail: USERNAME_RULE }]);
  }
}
