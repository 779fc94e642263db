import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SessionService } from '../auth';
import type { Client } from '../common/client';
import type { Int64 } from '../common/json';
import { UnitOfWork, type Work } from '../database';
import type { Versioned } from '../http';
import { Repeats, type Attempt } from '../idempotency';
import type { CreateUserDto } from './dto/create-user.dto';
import { userView, type UserView } from './dto/user.view';
import { Passwords } from '../password';
import { storing } from './storing';
import { repeated, takenAmong } from './taken';
import { User } from './user.entity';
import { refuse } from './user.problems';
import { findCredentials, holdHash, replaceHash, type Credentials, type NewUser } from './user.sql';
import { toUsername } from './username';

/** Forgets a user, within the unit that deletes him. */
export type Forgetter = (manager: EntityManager, user: Pick<User, 'id' | 'username'>) => Promise<void>;

const MAX_FIRST_VERSION = 2 ** 47;

const aboutUser = (id: Int64) => `user ${id}`;

/** Keeps users. */
@Injectable()
export class UserService {
  private readonly forgetters: Forgetter[] = [];

  constructor(
    private readonly database: UnitOfWork,
    private readonly passwords: Passwords,
    private readonly repeats: Repeats,
    private readonly sessions: SessionService,
  ) {}

  /** Creates all of the users or none. Throws UserTaken with each taken username and id, Overloaded, or the reason of `client.gone`. */
  createAll(dtos: CreateUserDto[], client?: Client, attempt?: Attempt): Promise<void> {
    return this.repeats.once(attempt, async (write) => {
      const users = dtos.map((dto, index) => asNewUser(dto, `/${index}`));
      const store = await this.prepare(users, dtos, client);
      await write(async (manager) => void (await store(manager)), { lane: 'bulk' });
    });
  }

  /** Creates one user. Throws as createAll. */
  create(dto: CreateUserDto, client?: Client, attempt?: Attempt): Promise<Versioned<UserView>> {
    return this.repeats.once(attempt, async (write) => {
      const user = asNewUser(dto, '');
      const store = await this.prepare([user], [dto], client);
      const create = async (manager: EntityManager) => {
        const [id] = (await store(manager)) as [Int64];
        return { view: userView({ ...user, id }), version: user.version };
      };
      return write(create, { about: ({ view }) => aboutUser(view.id) });
    });
  }

  /**
   * Deletes a user within the caller's unit: all sessions end, the name is free again, and nothing stays that tells of
   * him. False where he is gone already, or has another version by now.
   */
  async remove(manager: EntityManager, { id, username, version }: User): Promise<boolean> {
    const { affected } = await manager.delete(User, { id, version });
    if (affected !== 1) {
      return false;
    }
    await this.sessions.endAll(manager, id);
    await this.repeats.forget(manager, aboutUser(id));
    for (const forget of this.forgetters) {
      await forget(manager, { id, username });
    }
    return true;
  }

  /** What another module keeps of users is deleted in the transaction that deletes the user. */
  whenRemoved(forget: Forgetter): void {
    this.forgetters.push(forget);
  }

  /** What can be done before the unit that stores the users, which is what it answers. */
  private async prepare(users: NewUser[], dtos: CreateUserDto[], client?: Client): Promise<Work<Int64[]>> {
    refuse(repeated(users));
    if (dtos.some(({ password }) => password != null)) {
      await this.refuseTaken(users);
    }
    // Hash before the transaction opens: a thousand argon2 runs take seconds, and all other writes would wait.
    const hashes = await this.passwords.hashAll(
      dtos.map(({ password }) => password ?? undefined),
      client,
    );
    client?.gone.throwIfAborted();
    hashes.forEach((passwordHash, index) => Object.assign(users[index]!, { passwordHash }));
    return storing(users);
  }

  /** Within the caller's unit: the id, and the hash of the password if there is one; `username` in NFC. */
  findCredentials(manager: EntityManager, username: string): Promise<Credentials | undefined> {
    return findCredentials(manager, username);
  }

  /**
   * Within the caller's unit: whether this is still the hash of the user's password, which `renewed` then takes the place
   * of. Holds the user's row until the unit ends, so that a change of password comes before it or after it.
   */
  confirmHash(manager: EntityManager, id: Int64, passwordHash: string, renewed?: string): Promise<boolean> {
    return renewed === undefined
      ? holdHash(manager, id, passwordHash)
      : replaceHash(manager, id, passwordHash, renewed);
  }

  /** Before anything is hashed. A lagging answer may name a user who is gone: only then the primary is asked. */
  private async refuseTaken(users: NewUser[]): Promise<void> {
    const look = (manager: EntityManager) => takenAmong(manager, users);
    if ((await this.database.readLagging(look)).length > 0) {
      refuse(await this.database.read(look));
    }
  }
}

/** `path` is the JSON Pointer to where the user stands. */
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
  version: randomInt(1, MAX_FIRST_VERSION),
});
