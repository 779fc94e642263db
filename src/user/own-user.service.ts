import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SessionService, type Caller } from '../auth';
import type { Client } from '../common/client';
import { Columns, isUniqueViolation, Statement, UnitOfWork, type BoundStatement } from '../database';
import type { Conditions, Versioned } from '../http';
import { Passwords } from '../password';
import type { UpdateUserDto } from './dto/update-user.dto';
import { userView, type UserView } from './dto/user.view';
import { User } from './user.entity';
import { IdDiffers, NotThatUser, UserTaken } from './user.problems';
import { UserService } from './user.service';
import { toUsername } from './username';

/**
 * What users do with themselves (OWASP API1): everything begins with the user whom the token is of, and then compares
 * the name, so that nobody else is even looked at. All methods throw NotThatUser.
 */
@Injectable()
export class OwnUserService {
  constructor(
    private readonly database: UnitOfWork,
    private readonly passwords: Passwords,
    private readonly sessions: SessionService,
    private readonly users: UserService,
  ) {}

  async get(caller: Caller, username: string): Promise<Versioned<UserView>> {
    const user = ownOf(await this.database.readOne(byCaller(caller)), username);
    return { view: userView(user), version: user.version };
  }

  /**
   * Replaces the user; a password that is absent stays, a new one ends all sessions but that of `token`.
   * Answers the new version. Throws IdDiffers, UserTaken, and as Conditions.
   */
  async update(
    caller: Caller,
    { username, dto, token }: { username: string; dto: UpdateUserDto; token: string },
    conditions: Conditions,
    client: Client,
  ): Promise<number> {
    const user = ownOf(await this.database.readOne(byCaller(caller)), username);
    conditions.permit(user.version);
    if (dto.id && dto.id !== user.id) {
      throw new IdDiffers();
    }
    const [passwordHash] = await this.passwords.hashAll([dto.password ?? undefined], client);
    try {
      return await this.change(caller, username, conditions, async (manager, seen) => {
        const version = seen.version + 1;
        const { affected } = await manager.update(
          User,
          { id: seen.id, version: seen.version },
          {
            username: dto.username == null ? seen.username : toUsername(dto.username),
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
          await this.sessions.endAll(manager, seen.id, token);
        }
        return affected === 1 ? version : undefined;
      });
    } catch (error) {
      throw isUniqueViolation(error, 'user_username')
        ? new UserTaken([{ pointer: '/username', detail: 'is taken' }])
        : error;
    }
  }

  /** Answers the version after the last one. Throws as Conditions. */
  delete(caller: Caller, username: string, conditions: Conditions): Promise<number> {
    return this.change(caller, username, conditions, async (manager, seen) =>
      (await this.users.remove(manager, seen)) ? seen.version + 1 : undefined,
    );
  }

  /** Makes a change, if the conditions permit it in the very version that is changed. */
  private change(caller: Caller, username: string, conditions: Conditions, make: Change): Promise<number> {
    return this.database.write(async (manager) => {
      for (;;) {
        const seen = ownOf(await byCaller(caller).rows(manager), username);
        conditions.permit(seen.version);
        const made = await make(manager, seen);
        if (made !== undefined) {
          return made;
        }
        // It was changed after it was seen: look again.
      }
    });
  }
}

/** Answers the new version; undefined where the user has another version than `seen`. */
type Change = (manager: EntityManager, seen: User) => Promise<number | undefined>;

type Row = Record<string, unknown>;

const columns = new Columns(User);
const BY_ID = new Statement<Row>(`SELECT ${columns.names.join(', ')} FROM "user" WHERE "id" = ?`);

function byCaller(caller: Caller): BoundStatement<Row> {
  if (!('user' in caller)) {
    throw new NotThatUser();
  }
  return BY_ID.with([BigInt(caller.user)]);
}

function ownOf([row]: Row[], username: string): User {
  const user = row && columns.read(row);
  if (user?.username !== toUsername(username)) {
    throw new NotThatUser();
  }
  return user;
}
