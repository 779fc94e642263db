import { QueryFailedError } from 'typeorm';

/**
 * Whether a write failed because a unique index holds its value already. A primary key's index is `<table>_pkey`, each
 * other one bears the names of its table and columns (`user_username`). On PostgreSQL the transaction is over by then.
 */
export const isUniqueViolation = (error: unknown, index: string): boolean =>
  error instanceof QueryFailedError && violatedIndex(error.driverError as DriverError) === index;

/**
 * Whether a write failed because a row that it names is not there, or because rows still name the one to be deleted.
 * SQLite does not say which of the table's foreign keys it was.
 */
export const isForeignKeyViolation = (error: unknown): boolean =>
  error instanceof QueryFailedError &&
  ['23503', '23001', 'SQLITE_CONSTRAINT_FOREIGNKEY'].includes((error.driverError as DriverError).code ?? '');

type DriverError = Error & { code?: string; constraint?: string };

/** PostgreSQL names the index, SQLite its columns: "UNIQUE constraint failed: user.username". */
function violatedIndex({ code, constraint, message }: DriverError): string | undefined {
  const [table, ...columns] = message.replace(/^.*: /, '').split(/\.|, \w+\./);
  switch (code) {
    case '23505':
      return constraint;
    case 'SQLITE_CONSTRAINT_UNIQUE':
      return [table, ...columns].join('_');
    case 'SQLITE_CONSTRAINT_PRIMARYKEY':
    case 'SQLITE_CONSTRAINT_ROWID':
      return `${table}_pkey`;
    default:
      return undefined;
  }
}
