import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { failure } from '../failure';

/*
 * What went wrong, by SQLSTATE (PostgreSQL manual, appendix A), by the socket's error code,
 * or by message where node-postgres gives no code.
 */

/** Two transactions got in each other's way, and this one was rolled back: serialization failure, deadlock. */
const CONFLICT = /^(40001|40P01)$/;

const UNIQUE_VIOLATION = '23505';

/** Connection exception, shutdown, idle in transaction; or the socket itself. */
const DROPPED = /^(08...|57P0[123]|25P03|ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;
const DROPPED_MESSAGE = /^(Connection terminated|Client has encountered a connection error)/;

/** The server is out of some resource, took too long, waited for a lock, or is a standby. */
const BUSY = /^(53...|57014|55P03|25006)$/;

const READ_TIMEOUT = 'Query read timeout';

/**
 * Whether the unit was rolled back by others' doing and may well succeed when run again. A unique violation counts
 * (manual, 13.5): the other's row was not to be seen before, and now it is.
 */
export const isConflict = (error: unknown) => CONFLICT.test(code(error)) || code(error) === UNIQUE_VIOLATION;

/** Whether the connection ended. */
export const isDropped = (error: unknown) =>
  DROPPED.test(code(error)) || DROPPED_MESSAGE.test(message(error)) || error instanceof QueryRunnerAlreadyReleasedError;

/** Whether no answer came, and none will. */
export const isSilent = (error: unknown) => isDropped(error) || message(error) === READ_TIMEOUT;

/** The error as the caller of UnitOfWork is told it. */
export function postgresFailure(error: unknown): unknown {
  return failure(error, isSilent(error) || CONFLICT.test(code(error)) || BUSY.test(code(error)));
}

const cause = (error: unknown) =>
  (error instanceof QueryFailedError ? error.driverError : error) as Partial<NodeJS.ErrnoException> | undefined;
const code = (error: unknown) => cause(error)?.code ?? '';
const message = (error: unknown) => cause(error)?.message ?? '';
