import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MoreThan } from 'typeorm';
import { SessionService } from '../auth';
import type { Int64 } from '../common/json';
import { ValidationFailed, type Fault } from '../common/problem';
import { UnitOfWork } from '../database';
import { Passwords } from '../password';
import type { CreateUserDto } from './dto/create-user.dto';
import { userView, type UserView } from './dto/user.view';
import { storing } from './storing';
import { repeated, takenAmong } from './taken';
import { User } from './user.entity';
import { refuse } from './user.problems';
import { asNewUser, UserService } from './user.service';
import { toUsername } from './username';

const AT_ONCE = 1_000;

/** In the PHC string format. */
const ARGON2ID_HASH = /^\$argon2id\$v=19\$m=\d{1,10},t=\d{1,10},p=\d{1,10}\$[\w+/-]{11,}\$[\w+/-]{16,}$/;

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

/** What operators do with users, who have nothing to prove. */
@Injectable()
export class UserRecords {
  constructor(
    private readonly database: UnitOfWork,
    private readonly passwords: Passwords,
    private readonly sessions: SessionService,
    private readonly users: UserService,
  ) {}

  /** Stores all or none; each may bring the hash of its password. Throws ValidationFailed or UserTaken. */
  async import(dtos: CreateUserDto[], hashes: unknown[]): Promise<void> {
    const faults = dtos.flatMap(({ password }, index) => hashFault(hashes[index], password, index));
    if (faults.length > 0) {
      throw new ValidationFailed(faults);
    }
    const users = dtos.map((dto, index) => asNewUser(dto, `/${index}`));
    refuse(repeated(users));
    refuse(await this.database.read((manager) => takenAmong(manager, users)));
    const made = await this.passwords.hashAll(dtos.map(({ password }) => password ?? undefined));
    users.forEach((user, index) => {
      user.passwordHash = made[index] ?? (hashes[index] as string | null | undefined) ?? null;
    });
    const store = storing(users);
    await this.database.write(async (manager) => void (await store(manager)), 'bulk');
  }

  /** All sessions of the user end. False where there is no such user. */
  async setPassword(username: string, password: string): Promise<boolean> {
    const [passwordHash] = await this.passwords.hashAll([password]);
    return this.change(username, async (manager, { id, version }) => {
      const changed = { passwordHash, version: version + 1 };
      const { affected } = await manager.update(User, { id, version }, changed);
      await this.sessions.endAll(manager, id);
      return affected === 1;
    });
  }

  /** False where there is no such user. */
  delete(username: string): Promise<boolean> {
    return this.change(username, (manager, user) => this.users.remove(manager, user));
  }

  /** Until `make` meets the user as it was seen. */
  private change(username: string, make: (manager: EntityManager, seen: User) => Promise<boolean>): Promise<boolean> {
    return this.database.write(async (manager) => {
      for (;;) {
        const seen = await manager.findOneBy(User, { username: toUsername(username) });
        if (seen === null || (await make(manager, seen))) {
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
  if (typeof hash !== 'string' || !ARGON2ID_HASH.test(hash)) {
    return fault('must be a hash by argon2id');
  }
  return password == null ? [] : fault('must not stand beside a password');
}
