import { Problem, problemKind, ValidationFailed, type Fault } from '../platform/common/problem';

export const PET_NOT_FOUND = problemKind('pet-not-found', 404, 'No pet with this id');
export const PET_ID_TAKEN = problemKind('pet-id-taken', 409, 'Add pet: there is a pet with this id');
export const VALIDATION_EXCEPTION = problemKind(
  'validation-exception',
  405,
  'Update pet: a member other than the id breaks the rules',
);

export class PetNotFound extends Problem {
  constructor() {
    super(PET_NOT_FOUND, 'There is no pet with this id.');
  }
}

export class PetIdTaken extends Problem {
  constructor() {
    super(PET_ID_TAKEN, 'There is a pet with this id; send another one, or none.', {
      errors: [{ pointer: '/id', detail: 'is taken' }],
    });
  }
}

export class OwnersDiffer extends ValidationFailed {
  constructor() {
    super([{ pointer: '/owner/id', detail: 'must be the same as owner_id' }]);
  }
}

/** The 405 of update pet. */
export class ValidationException extends Problem {
  constructor(errors: Fault[]) {
    super(VALIDATION_EXCEPTION, 'The pet breaks the rules; errors says where, and which.', { errors });
  }
}
