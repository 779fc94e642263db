import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Client } from '../common/client';
import type { Int64 } from '../common/json';
import type { Fault } from '../common/problem';
import { UnitOfWork } from '../database';
import { Repeats, type Write } from '../idempotency';
import type { CreateUserDto } from './dto/create-user.dto';
import { Passwords } from '../password';
import { User } from './user.entity';
import { UserTaken } from './user.problems';

/** SQLite and PostgreSQL both take this many parameters in a statement, and more. */
const ROWS_AT_ONCE = 500;

/** Keeps users. */
@Injectable()
export class UserService {
  constructor(
    private readonly database: UnitOfWork,
    private readonly passwords: Passwords,
    private readonly repeats: Repeats,
  ) {}

  /** Creates all of the users or none. Throws UserTaken with each taken username and id, Overloaded, or the reason of `client.gone`. */
  createAll(dtos: CreateUserDto[], client?: Client): Promise<void> {
    return this.repeats.once((write) => this.storeAll(dtos, write, client));
  }

  private async storeAll(dtos: CreateUserDto[], write: Write, client?: Client): Promise<void> {
    const users = dtos.map((dto) => ({
      id: dto.id || null,
      username: dto.username?.normalize('NFC') ?? null,
      firstName: dto.firstName ?? null,
      lastName: dto.lastName ?? null,
      email: dto.email ?? null,
      phone: dto.phone ?? null,
      userStatus: dto.userStatus ?? null,
      passwordHash: null as string | null,
    }));
    const taken = (faults: Fault[]) => {
      if (faults.length > 0) {
        throw new UserTaken(faults);
      }
    };
    // Refused before anything is hashed, and once more inside the transaction. Users stay, so a lagging answer
    // may miss one, but never name one that is gone.
    taken(repeated(users));
    taken(await this.database.readLagging((manager) => takenIn(manager, users)));
    // Hash before the transaction opens: a thousand argon2 runs take seconds, and all other writes would wait.
    const hashes = await this.passwords.hashAll(
      dtos.map(({ password }) => password ?? undefined),
      client,
    );
    client?.gone.throwIfAborted();
    await write(async (manager) => {
      // The numbering comes first: its row lets one bulk creation in at a time, so that each sees what others stored.
      const numbers = await nextNumbers(manager, users);
      taken(await takenIn(manager, users));
      const rows = users.map((user, index) => ({
        ...user,
        id: user.id ?? numbers.pop()!,
        passwordHash: hashes[index] ?? null,
      }));
      for (const some of chunks(rows)) {
        await manager.createQueryBuilder().insert().into(User).values(some).updateEntity(false).execute();
      }
    });
  }

  /** The id, and the hash of the password if there is one; `username` in NFC. */
  findCredentials(username: string): Promise<Pick<User, 'id' | 'passwordHash'> | null> {
    return this.database.read((manager) =>
      manager.findOne(User, { select: { id: true, passwordHash: true }, where: { username } }),
    );
  }

  /**
   * Within the caller's unit: whether this is still the hash of the user's password, which `renewed` then takes the place
   * of. Holds the user's row until the unit ends, so that a change of password comes before it or after it.
   */
  async confirmHash(manager: EntityManager, id: Int64, passwordHash: string, renewed?: string): Promise<boolean> {
    const { affected } = await manager.update(User, { id, passwordHash }, { passwordHash: renewed ?? passwordHash });
    return affected === 1;
  }
}

interface Naming {
  id: Int64 | null;
  username: string | null;
}

const takenFault = (index: number, member: 'id' | 'username') => ({
  pointer: `/${index}/${member}`,
  detail: 'is taken',
});

/** Every place where a username or an id stands that stands in the array more than once. */
function repeated(users: Naming[]): Fault[] {
  return (['id', 'username'] as const).flatMap((member) => {
    const counts = new Map<unknown, number>();
    for (const user of users) {
      counts.set(user[member], (counts.get(user[member]) ?? 0) + 1);
    }
    return users.flatMap((user, index) =>
      user[member] !== null && counts.get(user[member])! > 1
        ? [{ pointer: `/${index}/${member}`, detail: 'stands more than once in the array' }]
        : [],
    );
  });
}

/** Every place whose username or id is stored already. */
async function takenIn(manager: EntityManager, users: Naming[]): Promise<Fault[]> {
  const ids = new Set<Int64>();
  const usernames = new Set<string | null>();
  for (const some of chunks(users)) {
    const rows = await manager
      .createQueryBuilder(User, 'user')
      .select('"user"."id"', 'id')
      .addSelect('"user"."username"', 'username')
      .where('"user"."id" IN (:...ids)', { ids: some.map(({ id }) => id ?? 0) })
      .orWhere('"user"."username" IN (:...names)', { names: some.map(({ username }) => username) })
      .getRawMany<Pick<User, 'id' | 'username'>>();
    rows.forEach(({ id, username }) => ids.add(id) && usernames.add(username));
  }
  return users.flatMap(({ id, username }, index) => [
    ...(id !== null && ids.has(id) ? [takenFault(index, 'id')] : []),
    ...(username !== null && usernames.has(username) ? [takenFault(index, 'username')] : []),
  ]);
}

/**
 * Numbers for the users that bring none: counted by a row of its own, so that a client's
 * 2^63−1 does not use the numbering up; numbers that clients took are left out. The row stays locked until the
 * transaction ends, also when no number is wanted.
 */
async function nextNumbers(manager: EntityManager, users: Naming[]): Promise<number[]> {
  const wanted = users.filter(({ id }) => id === null).length;
  const free: number[] = [];
  do {
    const count = wanted - free.length;
    await manager.query(`UPDATE "user_numbering" SET "last" = "last" + ${count}`);
    const [{ last }] = await manager.query<[{ last: number }]>(`SELECT "last" FROM "user_numbering"`);
    const numbers = Array.from({ length: count }, (_, index) => Number(last) - count + 1 + index);
    const brought = new Set(users.map(({ id }) => id));
    const unused = numbers.filter((id) => !brought.has(id)).map((id) => ({ id, username: null }));
    const stored = new Set((await takenIn(manager, unused)).map(({ pointer }) => pointer));
    free.push(...unused.filter((_, index) => !stored.has(`/${index}/id`)).map(({ id }) => id));
  } while (free.length < wanted);
  return free.reverse();
}

function chunks<T>(rows: T[]): T[][] {
  return Array.from({ length: Math.ceil(rows.length / ROWS_AT_ONCE) }, (_, index) =>
    rows.slice(index * ROWS_AT_ONCE, (index + 1) * ROWS_AT_ONCE),
  );
}
