import { Injectable } from '@nestjs/common';
import { BadCredentials, SessionService } from '../auth';
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
  ) {}

  /** Begins a session. Throws BadCredentials, TooManyLogins, Overloaded, or the signal's reason. */
  async logIn(name: string, password: string, address: string, signal: AbortSignal): Promise<LoggedIn> {
    const username = name.normalize('NFC');
    const verify = () => this.verify(username, password, { account: username, address });
    const { id, headers } = await this.passwords.attempt(username, verify, signal);
    return { ...(await this.sessions.begin(id)), headers };
  }

  private async verify(username: string, password: string, attempt: Attempt) {
    const limits = await this.throttle.admit(attempt);
    const user = await this.users.findCredentials(username);
    const passwordHash = user?.passwordHash ?? null;
    if (!(await this.passwords.matches(passwordHash, password))) {
      throw new BadCredentials(limits);
    }
    const renewed = await this.passwords.renewed(passwordHash!, password);
    if (renewed !== null) {
      await this.users.replaceHash(username, passwordHash!, renewed);
    }
    return { id: String(user!.id), headers: await this.throttle.succeeded(attempt) };
  }
}
