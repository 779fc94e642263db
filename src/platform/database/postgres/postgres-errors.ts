import { QueryFailedError } from 'typeorm';
import { failure } from '../failure';

/** What an error of the server or of the way to it means for a unit. */
type Meaning =
  /** Two transactions got in each other's way, and this one was rolled back. */
  | 'conflict'
  /** The connection ended. */
  | 'dropped'
  /** The server lives, and takes no writes: it is a standby now, say. */
  | 'read-only'
  /** Out of some resource, took too long, or waited for a lock. */
  | 'busy'
  /** The server itself does not know how a COMMIT ended. */
  | 'in doubt';

/** By SQLSTATE (PostgreSQL manual, appendix A), or the code of the socket. The first that fits counts. */
const MEANINGS: [RegExp, Meaning][] = [
  [/^40003$/, 'in doubt'], // statement_completion_unknown: CockroachDB and others
  [/^08007$/, 'in doubt'], // transaction_resolution_unknown
  [/^(40001|40P01)$/, 'conflict'], // serialization failure, deadlock
  [/^25006$/, 'read-only'],
  [/^08...$/, 'dropped'], // connection exceptions; poolers use them for whatever befalls them
  [/^57P0[1-5]$/, 'dropped'], // shutdown, crash, starting up, database dropped, idle for too long
  [/^25P0[34]$/, 'dropped'], // the transaction was idle, or lasted, for too long
  [/^(53...|57014|55P03|58030)$/, 'busy'], // resources, statement time-out, lock time-out, I/O error
  [/^(ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/, 'dropped'],
];

/** node-postgres has no codes for these. (Of TypeORM none is left: its runners never learn that a connection ended.) */
const DROPPED_MESSAGE = /^(Connection terminated|Client has encountered a connection error|Client was closed)/;
const READ_TIMEOUT = 'Query read timeout';

/** Whether the unit was rolled back by others' doing and may well succeed when run again. */
export const isConflict = (error: unknown) => meaning(error) === 'conflict';

/**
 * Whether a value stands in a unique index already. A unit that had looked for it finds it when run again (manual,
 * 13.5): once, since a unit that did not look fails the same way each time.
 */
export const isCollision = (error: unknown) => code(error) === '23505';

/** Whether the connection ended, or is good for reads only. What was not committed on it is not stored. */
export const isLost = (error: unknown) => isReadOnly(error) || meaning(error) === 'dropped';

export const isReadOnly = (error: unknown) => meaning(error) === 'read-only';

/** Whether nobody knows what became of the statement: after a COMMIT, the change may be stored or not. */
export const isSilent = (error: unknown) =>
  ['dropped', 'in doubt'].includes(meaning(error)!) || cause(error)?.message === READ_TIMEOUT;

/** Whether the connection had ended before the statement was sent, or the transaction before it came. */
export const cameTooLate = (error: unknown) =>
  code(error) === '25P03' || / is not queryable$/.test(cause(error)?.message ?? '');

export const isDiskFull = (error: unknown) => code(error) === '53100';

/** Whether somebody else held a lock for too long. */
export const isLockTimeout = (error: unknown) => code(error) === '55P03';

/** Whether the role lacks a right. */
export const isForbidden = (error: unknown) => code(error) === '42501';

/** Whether a pooler does not take a parameter with which a connection was to be opened. PgBouncer has words only. */
export const isRefusedParameter = (error: unknown) => /unsupported startup parameter/.test(cause(error)?.message ?? '');

/** The error as the caller of UnitOfWork is told it. */
export function postgresFailure(error: unknown): unknown {
  return failure(error, meaning(error) !== undefined || isSilent(error));
}

function meaning(error: unknown): Meaning | undefined {
  if (DROPPED_MESSAGE.test(cause(error)?.message ?? '')) {
    return 'dropped';
  }
  return MEANINGS.find(([codes]) => codes.test(code(error)))?.[1];
}

const cause = (error: unknown) =>
  (error instanceof QueryFailedError ? error.driverError : error) as Partial<NodeJS.ErrnoException> | undefined;
const code = (error: unknown) => cause(error)?.code ?? '';
