import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, MoreThan, Not, type DataSource, type Repository } from 'typeorm';
import { HASH_BOUNDS, isHashInBounds, Passwords, SessionService } from '../auth';
import type { Int64 } from '../platform/common/json';
import { refuseFaults, type Fault } from '../platform/common/problem';
import { UnitOfWork } from '../platform/database';
import { newVersion } from '../platform/http';
import type { CreateUserDto } from './dto/create-user.dto';
import { userView, type UserView } from './dto/user.view';
import { asNewUser, NewUsers } from './new-users';
import { User } from './user.entity';
import { UserService } from './user.service';
import { toUsername } from './username';

const AT_ONCE = 1_000;

/** A user as `export` writes it and `import-users` reads it: as clients see it, and the hash of the password. */
export interface UserRecord extends UserView {
  passwordHash?: string;
}

/** All users in order of the id, some at a time. Of what is written meanwhile, some may be among them. */
export async function* allUsers(database: Pick<UnitOfWork, 'read'>): AsyncGenerator<UserRecord[]> {
  for (let last: Int64 | undefined; ;) {
    const where = last === undefined ? {} : { id: MoreThan(last) };
    const users = await database.read((manager) => manager.find(User, { where, order: { id: 'ASC' }, take: AT_ONCE }));
    yield users.map((user) => ({ ...userView(user), passwordHash: user.passwordHash ?? undefined }));
    if (users.length < AT_ONCE) {
      return;
    }
    last = users.at(-1)!.id;
  }
}

export const countUsers = (database: Pick<UnitOfWork, 'read'>): Promise<number> =>
  database.read((manager) => manager.count(User));

/** Throws an Error that names the first user of a foreign database whose password would cost too much to check. */
export async function assertHashesInBounds(database: DataSource): Promise<void> {
  const users = database.getRepository(User);
  for (let last: Int64 | undefined; ;) {
    const found = await users.find({
      select: { id: true, passwordHash: true },
      where: { passwordHash: Not(IsNull()), ...(last !== undefined && { id: MoreThan(last) }) },
      order: { id: 'ASC' },
      take: AT_ONCE,
    });
    const bad = found.find(({ passwordHash }) => !isHashInBounds(passwordHash!));
    if (bad) {
      throw new Error(`the password of user ${bad.id} is no hash by argon2id of ${HASH_BOUNDS}`);
    }
    if (found.length < AT_ONCE) {
      return;
    }
    last = found.at(-1)!.id;
  }
}

/** What operators do with users, who have nothing to prove. */
@Injectable()
export class UserRecords {
  constructor(
    @InjectRepository(User) private readonly users: Repository<User>,
    private readonly newUsers: NewUsers,
    private readonly database: UnitOfWork,
    private readonly passwords: Passwords,
    private readonly sessions: SessionService,
    private readonly service: UserService,
  ) {}

  /** Stores all or none; each may bring the hash of its password. Throws ValidationFailed or UserTaken. */
  async import(dtos: CreateUserDto[], hashes: unknown[]): Promise<void> {
    refuseFaults(dtos.flatMap(({ password }, index) => hashFault(hashes[index], password, index)));
    const users = dtos.map((dto, index) => asNewUser(dto, `/${index}`));
    this.newUsers.refuseRepeated(users);
    await this.newUsers.refuseTaken(users);
    const made = await this.passwords.hashAll(dtos.map(({ password }) => password));
    users.forEach((user, index) => {
      user.passwordHash = made[index] ?? (hashes[index] as string | null | undefined) ?? null;
    });
    await this.newUsers.store(users, () => this.database.write(() => this.newUsers.insert(users), 'bulk'));
  }

  /** All sessions of the user end. False where there is no such user. */
  async setPassword(username: string, password: string): Promise<boolean> {
    const [passwordHash] = await this.passwords.hashAll([password]);
    return this.change(username, async ({ id, version }) => {
      const { affected } = await this.users.update({ id, version }, { passwordHash, version: newVersion() });
      await this.sessions.endAll(id);
      return affected === 1;
    });
  }

  /** False where there is no such user. */
  delete(username: string): Promise<boolean> {
    return this.change(username, (user) => this.service.remove(user));
  }

  /** Until `make` meets the user as it was seen. */
  private change(username: string, make: (seen: User) => Promise<boolean>): Promise<boolean> {
    return this.database.write(async () => {
      for (;;) {
        const seen = await this.users.findOneBy({ username: toUsername(username) });
        if (seen === null || (await make(seen))) {
          return seen !== null;
        }
      }
    });
  }
}

function hashFault(hash: unknown, password: string | null | undefined, index: number): Fault[] {
  if (hash == null) {
    return [];
  }
  const fault = (detail: string) => [{ pointer: `/${index}/passwordHash`, detail }];
  if (typeof hash !== 'string' || !isHashInBounds(hash)) {
    return fault(`must be a hash by argon2id of ${HASH_BOUNDS}`);
  }
  return password == null ? [] : fault('must not stand beside a password');
}
