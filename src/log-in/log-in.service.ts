import { Injectable } from '@nestjs/common';
import { BadCredentials, SessionService } from '../auth';
import type { Client } from '../common/client';
import { UnitOfWork } from '../database';
import { Passwords } from '../password';
import { UserService } from '../user';
import { LoginThrottle, type Attempt } from './login-throttle';

interface LoggedIn {
  token: string;
  expiresAt: Date;
  /** For the answer: how many more failures are allowed. */
  headers: Record<string, string>;
}

/** Lets users in. */
@Injectable()
export class LogInService {
  constructor(
    private readonly users: UserService,
    private readonly passwords: Passwords,
    private readonly throttle: LoginThrottle,
    private readonly sessions: SessionService,
    private readonly database: UnitOfWork,
  ) {}

  /** Begins a session. Throws BadCredentials, TooManyLogins, Overloaded, or the reason of `client.gone`. */
  async logIn(name: string, password: string, client: Client): Promise<LoggedIn> {
    const username = name.normalize('NFC');
    const verify = () => this.verify(username, password, { account: username, address: client.address });
    return this.passwords.attempt(username, verify, client);
  }

  private async verify(username: string, password: string, attempt: Attempt): Promise<LoggedIn> {
    const limits = await this.throttle.admit(attempt);
    const user = await this.users.findCredentials(username);
    const passwordHash = user?.passwordHash ?? null;
    if (!(await this.passwords.matches(passwordHash, password))) {
      throw new BadCredentials(limits);
    }
    const renewed = await this.passwords.renewed(passwordHash!, password);
    await this.sessions.tidy();
    return this.database.write(async (manager) => {
      if (!(await this.users.confirmHash(manager, user!.id, passwordHash!, renewed))) {
        throw new BadCredentials(limits); // changed or deleted since it was read
      }
      const headers = await this.throttle.succeeded(manager, attempt);
      return { ...(await this.sessions.begin(manager, user!.id)), headers };
    });
  }
}
