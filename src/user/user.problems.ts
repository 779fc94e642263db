import { Problem, problemKind, ValidationFailed, type Fault } from '../common/problem';

export const USER_TAKEN = problemKind(
  'user-taken',
  409,
  'User taken',
  'Usernames or ids exist or stand twice; `errors` points to each',
);

/** Usernames or ids that exist already or stand twice in the array. */
export class UserTaken extends Problem {
  constructor(errors: Fault[]) {
    super(USER_TAKEN, 'Usernames or ids are taken; nothing was stored.', { errors });
  }
}

export function refuse(taken: Fault[]): void {
  if (taken.length > 0) {
    throw new UserTaken(taken);
  }
}

export const NOT_THAT_USER = problemKind(
  'not-that-user',
  403,
  'Not that user',
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
