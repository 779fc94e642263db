/** The service cannot start on its database; the message is for the operator. */
export class DatabaseUnusable extends Error {
  static because(cause: unknown): DatabaseUnusable {
    return new DatabaseUnusable(`The database that DATABASE_URL names cannot be used: ${reasonOf(cause)}`, { cause });
  }
}

function reasonOf(cause: unknown): string {
  // A name with several addresses fails with an error for each, and no message of its own.
  if (cause instanceof AggregateError && cause.errors.length > 0) {
    return cause.errors.map(reasonOf).join(', ');
  }
  const { code, message } = cause as NodeJS.ErrnoException;
  return code === undefined || message.includes(code) ? message : `${code} ${message}`;
}

/** A service has the database, and shares it with no other process. */
export class DatabaseInUse extends DatabaseUnusable {}
