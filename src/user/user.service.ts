import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { Passwords, SessionService } from '../auth';
import type { Client } from '../platform/common/client';
import type { Int64 } from '../platform/common/json';
import type { Versioned } from '../platform/http';
import { IdempotencyStore, type Attempt } from '../platform/idempotency';
import type { CreateUserDto } from './dto/create-user.dto';
import { userView, type UserView } from './dto/user.view';
import { asNewUser, NewUsers, type NewUser } from './new-users';
import { User } from './user.entity';

/** Deletes what else is kept of a user, within the unit that deletes him. */
export type UserDeletedListener = (user: Pick<User, 'id' | 'username'>) => Promise<void>;

export type StoredCredentials = Pick<User, 'id' | 'passwordHash'>;

const aboutUser = (id: Int64) => `user ${id}`;

/** Keeps users. */
@Injectable()
export class UserService {
  private readonly deletedListeners: UserDeletedListener[] = [];

  constructor(
    @InjectRepository(User) private readonly users: Repository<User>,
    private readonly newUsers: NewUsers,
    private readonly passwords: Passwords,
    private readonly idempotency: IdempotencyStore,
    private readonly sessions: SessionService,
  ) {}

  /**
   * Creates all of the users or none. Throws UserTaken with each taken username and id, Overloaded, or the reason of
   * `client.gone`.
   */
  createAll(dtos: CreateUserDto[], client?: Client, attempt?: Attempt): Promise<void> {
    return this.idempotency.once(attempt, dtos, async (write) => {
      const users = dtos.map((dto, index) => asNewUser(dto, `/${index}`));
      await this.prepare(users, dtos, client);
      const insert = async () => void (await this.newUsers.insert(users));
      await this.newUsers.store(users, () => write(insert, { priority: 'bulk' }));
    });
  }

  /** Creates one user. Throws as createAll. */
  create(dto: CreateUserDto, client?: Client, attempt?: Attempt): Promise<Versioned<UserView>> {
    return this.idempotency.once(attempt, dto, async (write) => {
      const user = asNewUser(dto, '');
      await this.prepare([user], [dto], client);
      const insert = async () => {
        const [id] = (await this.newUsers.insert([user])) as [Int64];
        return { view: userView({ ...user, id }), version: user.version };
      };
      return this.newUsers.store([user], () => write(insert, { about: ({ view }) => aboutUser(view.id) }));
    });
  }

  /**
   * Deletes a user within the caller's unit: all sessions end, the name is free again, and nothing stays that tells of
   * him. False where he is gone already, or has another version by now.
   */
  async remove({ id, username, version }: User): Promise<boolean> {
    const { affected } = await this.users.delete({ id, version });
    if (affected !== 1) {
      return false;
    }
    await this.sessions.endAll(id);
    await this.idempotency.forget(aboutUser(id));
    for (const listener of this.deletedListeners) {
      await listener({ id, username });
    }
    return true;
  }

  /** What another module keeps of users is deleted in the transaction that deletes the user. */
  onUserDeleted(listener: UserDeletedListener): void {
    this.deletedListeners.push(listener);
  }

  /** The id, and the hash of the password if there is one; `username` in NFC. */
  findCredentials(username: string): Promise<StoredCredentials | null> {
    return this.users.findOne({ select: { id: true, passwordHash: true }, where: { username } });
  }

  /**
   * Within the caller's unit: whether this is still the hash of the user's password, which `kept` then takes the place
   * of. Holds the user's row until the unit ends, so that a change of password comes before it or after it.
   */
  async confirmHash(id: Int64, passwordHash: string, kept: string): Promise<boolean> {
    const { affected } = await this.users.update({ id, passwordHash }, { passwordHash: kept });
    return affected === 1;
  }

  /** What can be done before the unit that stores the users. */
  private async prepare(users: NewUser[], dtos: CreateUserDto[], client?: Client): Promise<void> {
    this.newUsers.refuseRepeated(users);
    if (dtos.some(({ password }) => password != null)) {
      await this.newUsers.refuseTaken(users);
    }
    // Hash before the transaction opens: a thousand argon2 runs take seconds, and all other writes would wait.
    const hashes = await this.passwords.hashAll(
      dtos.map(({ password }) => password),
      client,
    );
    client?.gone.throwIfAborted();
    hashes.forEach((passwordHash, index) => Object.assign(users[index]!, { passwordHash }));
  }
}
