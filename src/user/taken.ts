import type { EntityManager } from 'typeorm';
import type { Fault } from '../common/problem';
import { findTaken, type NewUser } from './user.sql';

/** Every place where a username or an id stands that stands in the array more than once. */
export function repeated(users: NewUser[]): Fault[] {
  const ids = countOf(users.map(({ id }) => id));
  const usernames = countOf(users.map(({ username }) => username));
  return faultsOf(users, 'stands more than once in the array', {
    id: (id) => ids.get(id)! > 1,
    username: (username) => usernames.get(username)! > 1,
  });
}

/** Every place whose username or id is stored already. */
export async function takenAmong(manager: EntityManager, users: NewUser[]): Promise<Fault[]> {
  const { ids, usernames } = await findTaken(manager, users);
  return faultsOf(users, 'is taken', {
    id: (id) => ids.has(String(id)),
    username: (username) => usernames.has(username),
  });
}

type Tests = { [Member in 'id' | 'username']: (value: NonNullable<NewUser[Member]>) => boolean };

function faultsOf(users: NewUser[], detail: string, { id: isIdBad, username: isUsernameBad }: Tests): Fault[] {
  return users.flatMap(({ id, username, path }) => [
    ...(id !== null && isIdBad(id) ? [{ pointer: `${path}/id`, detail }] : []),
    ...(username !== null && isUsernameBad(username) ? [{ pointer: `${path}/username`, detail }] : []),
  ]);
}

function countOf<T>(values: T[]): Map<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) {
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}
