import { QueryFailedError } from 'typeorm';
import { Unavailable } from '../common/problem';

/**
 * The error as the caller of UnitOfWork is told it; `passes` when its cause is likely to go away by itself.
 * Errors end in the log, so their values are withheld: one may be a password's hash. PostgreSQL's `detail` shows some.
 */
export function failure(error: unknown, passes: boolean): unknown {
  if (error instanceof QueryFailedError) {
    Object.assign(error, { parameters: undefined, detail: undefined }); // private: QueryFailedError.detail
    Object.assign(error.driverError as Error, { detail: undefined });
  }
  return passes ? new Unavailable(error) : error;
}
