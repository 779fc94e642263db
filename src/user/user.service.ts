import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Client } from '../common/client';
import type { Int64 } from '../common/json';
import { UnitOfWork } from '../database';
import { Repeats, type Write } from '../idempotency';
import type { CreateUserDto } from './dto/create-user.dto';
import { Passwords } from '../password';
import { storing } from './storing';
import { repeated, takenAmong } from './taken';
import { User } from './user.entity';
import { refuse } from './user.problems';
import type { NewUser } from './user.sql';

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
    const users = dtos.map((dto, index) => asNewUser(dto, `/${index}`));
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
    const store = storing(users);
    await write(async (manager) => void (await store(manager)), { lane: 'bulk' });
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

  /** Before anything is hashed. A lagging answer may name a user who is gone: only then the primary is asked. */
  private async refuseTaken(users: NewUser[]): Promise<void> {
    const look = (manager: EntityManager) => takenAmong(manager, users);
    if ((await this.database.readLagging(look)).length > 0) {
      refuse(await this.database.read(look));
    }
  }
}

const asNewUser = (dto: CreateUserDto, path: string): NewUser => ({
  path,
  id: dto.id || null,
  username: dto.username?.normalize('NFC') ?? null,
  firstName: dto.firstName ?? null,
  lastName: dto.lastName ?? null,
  email: dto.email ?? null,
  phone: dto.phone ?? null,
  userStatus: dto.userStatus ?? null,
  passwordHash: null,
});
