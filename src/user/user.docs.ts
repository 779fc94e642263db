/** What the OpenAPI document says of the bulk creations beyond what their decorators and rules say. */
export const createOperation = {
  description:
    'Stores all users or none, and never overwrites one. The server assigns an id where it is absent or 0. ' +
    'A user without username or password is stored and can never log in.',
};
