import { Problem, problemKind, type Fault } from '../common/problem';

export const USER_TAKEN = problemKind(
  'user-taken',
  409,
  'User taken',
  'Usernames or ids exist or stand twice; `errors` points to each',
);

/** Usernames or ids that exist already or stand twice in the array. */
export class UserTaken extends Problem {
  constructor(errors: Fault[]) {
    super(USER_TAKEN, 'Usernames or ids are taken; no user was created.', { errors });
  }
}

export function refuse(taken: Fault[]): void {
  if (taken.length > 0) {
    throw new UserTaken(taken);
  }
}
