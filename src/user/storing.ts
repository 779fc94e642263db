import type { Int64 } from '../common/json';
import { Unavailable } from '../common/problem';
import { drawNumbers, type Work } from '../database';
import { takenAmong } from './taken';
import { refuse } from './user.problems';
import { insertion, type NewUser } from './user.sql';

/** How often users are stored anew whose numbers clients took at the same moment. */
const MAX_ATTEMPTS = 5;

/**
 * The unit that stores these users, all or none, and answers their ids. Uniqueness is the unique indexes' affair, so
 * nobody queues: only of those that met one it is asked what they met. Throws UserTaken.
 */
export function storing(users: NewUser[]): Work<Int64[]> {
  const brought = new Set(users.map(({ id }) => id));
  // In the same order whoever stores them: two that share several usernames wait for each other, never in a circle.
  const inOrder = [...users].sort(byUsername);
  return async (manager) => {
    const ids = new Map<NewUser, Int64>();
    let rest = new Set(users);
    for (let attempt = 1; rest.size > 0; attempt++) {
      if (attempt > MAX_ATTEMPTS) {
        throw new Unavailable(new Error('Clients took the ids that were drawn, each time.'));
      }
      const unnumbered = [...rest].filter(({ id }) => id === null);
      const numbers = (await drawNumbers(manager, 'user', unnumbered.length, brought)).values();
      rest.forEach((user) => ids.set(user, user.id ?? numbers.next().value!));
      const some = inOrder.filter((user) => rest.has(user)).map((user) => ({ ...user, id: ids.get(user)! }));
      const met = new Set((await insertion.storeFree(manager, some)).map(({ id }) => id));
      rest = new Set([...rest].filter((user) => met.has(ids.get(user)!)));
      // Where nothing that they bring is taken, a client took a number just drawn, or who was in the way is gone.
      refuse(rest.size > 0 ? await takenAmong(manager, [...rest]) : []);
    }
    return users.map((user) => ids.get(user)!);
  };
}

const byUsername = (a: NewUser, b: NewUser) =>
  (a.username ?? '') < (b.username ?? '') ? -1 : a.username === b.username ? 0 : 1;
