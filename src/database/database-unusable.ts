/** The service cannot start on its database; the message is for the operator. */
export class DatabaseUnusable extends Error {}
