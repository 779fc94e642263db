/** The service cannot start on its database; the message is for the operator. */
export class DatabaseUnusable extends Error {
  static because(cause: unknown): DatabaseUnusable {
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason = code === undefined || message.startsWith(code) ? message : `${code} ${message}`;
    return new DatabaseUnusable(`The database cannot be used: ${reason}`, { cause });
  }
}

/** A service has the database, and shares it with no other process. */
export class DatabaseInUse extends DatabaseUnusable {}
