import { QueryFailedError } from 'typeorm';
import { failure } from '../failure';

/** Result codes of SQLite that pass when their cause does: a lock, a full or read-only disk, a failing device. */
const TEMPORARY = /^SQLITE_(BUSY|LOCKED|FULL|READONLY|IOERR|CANTOPEN|NOMEM|PROTOCOL)/;

/** Whether another process holds the file. */
export const isBusy = (error: unknown) => code(error).startsWith('SQLITE_BUSY');

/** The error as the caller of UnitOfWork is told it. */
export const sqliteFailure = (error: unknown): unknown => failure(error, TEMPORARY.test(code(error)));

const code = (error: unknown) => {
  const cause = (error instanceof QueryFailedError ? error.driverError : error) as { code?: unknown } | undefined;
  return String(cause?.code);
};
