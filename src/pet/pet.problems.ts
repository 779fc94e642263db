import { Problem, ValidationFailed, type Fault } from '../common/problem';

export class PetNotFound extends Problem {
  constructor() {
    super({ type: '/problems/pet-not-found', title: 'Pet not found', status: 404 }, 'There is no pet with this id.');
  }
}

export class OwnersDiffer extends ValidationFailed {
  constructor() {
    super([{ pointer: '/owner/id', detail: 'must be the same as owner_id' }]);
  }
}

/** The 405 of update pet; RFC 9110 demands Allow with it. */
export class ValidationException extends Problem {
  constructor(errors: Fault[]) {
    super(
      { type: '/problems/validation-exception', title: 'Validation exception', status: 405 },
      `${errors.length} member(s) of the request are invalid.`,
      { errors, headers: { Allow: 'PUT, OPTIONS' } },
    );
  }
}
