import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type Repository } from 'typeorm';
import type { Int64 } from '../platform/common/json';
import type { Fault } from '../platform/common/problem';
import { nextIds, storeAgain, UnitOfWork } from '../platform/database';
import { newVersion } from '../platform/http';
import type { CreateUserDto } from './dto/create-user.dto';
import { User } from './user.entity';
import { UserTaken } from './user.problems';
import { toUsername } from './username';

/** A user who is to be stored; without an id, the server gives one. */
export interface NewUser extends Omit<User, 'id'> {
  id: Int64 | null;
  /** JSON Pointer to where it stands in the request's body. */
  path: string;
}

export const asNewUser = (dto: CreateUserDto, path: string): NewUser => ({
  path,
  id: dto.id || null,
  username: dto.username == null ? null : toUsername(dto.username),
  firstName: dto.firstName ?? null,
  lastName: dto.lastName ?? null,
  email: dto.email ?? null,
  phone: dto.phone ?? null,
  userStatus: dto.userStatus ?? null,
  passwordHash: null,
  version: newVersion(),
});

/** Of one statement; its text is the same for each full one, and far from what either database takes. */
const ROWS_AT_ONCE = 100;
const NAMES_AT_ONCE = 1_000;

/** Stores new users, all or none. All methods throw UserTaken, which points to every username and id that is taken. */
@Injectable()
export class NewUsers {
  constructor(
    @InjectRepository(User) private readonly users: Repository<User>,
    private readonly database: UnitOfWork,
  ) {}

  refuseRepeated(users: NewUser[]): void {
    const ids = countOf(users.map(({ id }) => id));
    const usernames = countOf(users.map(({ username }) => username));
    refuse(users, 'stands more than once in the array', {
      id: (id) => ids.get(id)! > 1,
      username: (username) => usernames.get(username)! > 1,
    });
  }

  async refuseTaken(users: NewUser[]): Promise<void> {
    for (const some of chunksOf(users, NAMES_AT_ONCE)) {
      // Not by one look-up with OR: PostgreSQL might read the whole table for it.
      const byId = await this.users.find({
        select: { id: true },
        where: { id: In(some.flatMap(({ id }) => id ?? [])) },
      });
      const byName = await this.users.find({
        select: { username: true },
        where: { username: In(some.flatMap(({ username }) => username ?? [])) },
      });
      const ids = new Set(byId.map(({ id }) => String(id)));
      const usernames = new Set(byName.map(({ username }) => username));
      refuse(some, 'is taken', { id: (id) => ids.has(String(id)), username: (username) => usernames.has(username) });
    }
  }

  /**
   * Runs `store`, a unit that calls `insert`. The unique indexes decide, so nobody queues. When one is violated,
   * `refuseTaken` tells what is taken. Where nothing is, a client took a number just drawn, or the row in the way has
   * gone: `store` runs again.
   */
  store<T>(users: NewUser[], store: () => Promise<T>): Promise<T> {
    return storeAgain(['user_pkey', 'user_username'], store, () => this.refuseTaken(users));
  }

  /** Within a unit; answers the ids. */
  async insert(users: NewUser[]): Promise<Int64[]> {
    const withoutId = users.filter(({ id }) => id === null);
    const given = new Set(users.map(({ id }) => id));
    const drawn = (await nextIds(this.users.manager, 'user', withoutId.length, given)).values();
    const rows = users.map((user) => ({ ...user, id: user.id ?? drawn.next().value! }));
    // In the same order whoever stores them: two that share several usernames wait for each other, never in a circle.
    const inOrder = [...rows].sort(byUsername);
    await this.database.inOneRoundTrip(chunksOf(inOrder, ROWS_AT_ONCE).map((some) => () => this.users.insert(some)));
    return rows.map(({ id }) => id);
  }
}

type Tests = { [Member in 'id' | 'username']: (value: NonNullable<NewUser[Member]>) => boolean };

function refuse(users: NewUser[], detail: string, { id: isIdBad, username: isUsernameBad }: Tests): void {
  const faults: Fault[] = users.flatMap(({ id, username, path }) => [
    ...(id !== null && isIdBad(id) ? [{ pointer: `${path}/id`, detail }] : []),
    ...(username !== null && isUsernameBad(username) ? [{ pointer: `${path}/username`, detail }] : []),
  ]);
  if (faults.length > 0) {
    throw new UserTaken(faults);
  }
}

function countOf<T>(values: T[]): Map<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) {
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}

const chunksOf = <T>(all: T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size));

const byUsername = (a: { username: string | null }, b: { username: string | null }) =>
  (a.username ?? '') < (b.username ?? '') ? -1 : a.username === b.username ? 0 : 1;
