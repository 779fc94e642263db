import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { Passwords, SessionService } from '../auth';
import type { Client } from '../platform/common/client';
import { isUniqueViolation, UnitOfWork } from '../platform/database';
import { newVersion, type Caller, type Conditions, type Versioned } from '../platform/http';
import type { UpdateUserDto } from './dto/update-user.dto';
import { userView, type UserView } from './dto/user.view';
import { User } from './user.entity';
import { BadUsername, IdDiffers, NotThatUser, UserTaken } from './user.problems';
import { UserService } from './user.service';
import { isUsername, toUsername } from './username';

/**
 * What users do with themselves (OWASP API1): everything begins with the user whom the token is of, and then compares
 * the name, so that no other user is even read. All methods throw NotThatUser.
 */
@Injectable()
export class OwnUserService {
  constructor(
    @InjectRepository(User) private readonly users: Repository<User>,
    private readonly database: UnitOfWork,
    private readonly passwords: Passwords,
    private readonly sessions: SessionService,
    private readonly service: UserService,
  ) {}

  async get(caller: Caller, username: string): Promise<Versioned<UserView>> {
    const user = await this.find(caller, username);
    return { view: userView(user), version: user.version };
  }

  /**
   * Replaces the user; a password that is absent stays, a new one ends all sessions but that of `token`.
   * Answers the new version. Throws BadUsername, IdDiffers, UserTaken, and as Conditions.
   */
  async update(
    caller: Caller,
    { username, dto, token }: { username: string; dto: UpdateUserDto; token: string },
    conditions: Conditions,
    client: Client,
  ): Promise<number> {
    const user = await this.find(caller, username);
    conditions.assertMatches(user.version);
    if (dto.id && dto.id !== user.id) {
      throw new IdDiffers();
    }
    const name = toUsername(dto.username ?? user.username!);
    if (name !== user.username && !isUsername(name)) {
      throw new BadUsername();
    }
    const [passwordHash] = await this.passwords.hashAll([dto.password], client);
    const version = newVersion();
    try {
      await this.change(caller, username, conditions, async (seen) => {
        const { affected } = await this.users.update(
          { id: seen.id, version: seen.version },
          {
            username: dto.username == null ? seen.username : name,
            firstName: dto.firstName ?? null,
            lastName: dto.lastName ?? null,
            email: dto.email ?? null,
            phone: dto.phone ?? null,
            userStatus: dto.userStatus ?? null,
            ...(passwordHash && { passwordHash }),
            version,
          },
        );
        if (affected === 1 && passwordHash) {
          await this.sessions.endAll(seen.id, token);
        }
        return affected === 1;
      });
    } catch (error) {
      throw isUniqueViolation(error, 'user_username')
        ? new UserTaken([{ pointer: '/username', detail: 'is taken' }])
        : error;
    }
    return version;
  }

  /** Answers a version that nobody has. Throws as Conditions. */
  async delete(caller: Caller, username: string, conditions: Conditions): Promise<number> {
    await this.change(caller, username, conditions, (seen) => this.service.remove(seen));
    return newVersion();
  }

  private async find(caller: Caller, username: string): Promise<User> {
    const user = 'user' in caller ? await this.users.findOneBy({ id: caller.user }) : null;
    if (user?.username !== toUsername(username)) {
      throw new NotThatUser();
    }
    return user;
  }

  /** `make` answers whether it met the user as it was seen. */
  private async change(
    caller: Caller,
    username: string,
    conditions: Conditions,
    make: (seen: User) => Promise<boolean>,
  ): Promise<void> {
    await this.database.write(() => conditions.compareAndChange(() => this.find(caller, username), make));
  }
}
