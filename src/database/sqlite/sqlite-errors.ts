import { QueryFailedError } from 'typeorm';
import { failure } from '../failure';

/** Result codes of SQLite that pass when their cause does: a lock, a full or read-only disk, a failing device. */
const TEMPORARY = /^SQLITE_(BUSY|LOCKED|FULL|READONLY|IOERR|CANTOPEN|NOMEM|PROTOCOL)/;

/** The error as the caller of UnitOfWork is told it. */
export function sqliteFailure(error: unknown): unknown {
  const code = error instanceof QueryFailedError && (error.driverError as { code?: string }).code;
  return failure(error, TEMPORARY.test(String(code)));
}
