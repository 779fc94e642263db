import { Injectable } from '@nestjs/common';
import { BadCredentials, Devices, SessionService, type DeviceCookie } from '../auth';
import type { Client } from '../common/client';
import { UnitOfWork } from '../database';
import { Passwords } from '../password';
import { UserService } from '../user';
import { LoginThrottle } from './login-throttle';

interface LoggedIn {
  token: string;
  expiresAt: Date;
  /** For the client to show at its next log-in. */
  device: DeviceCookie;
  /** For the answer: how many more failures are allowed. */
  headers: Record<string, string>;
}

/** What a client shows to be let in. */
export interface Shown {
  username: string;
  password: string;
  /** Device cookies, of whomever. */
  devices: string[];
}

/** Lets users in. */
@Injectable()
export class LogInService {
  constructor(
    private readonly users: UserService,
    private readonly passwords: Passwords,
    private readonly throttle: LoginThrottle,
    private readonly sessions: SessionService,
    private readonly devices: Devices,
    private readonly database: UnitOfWork,
  ) {
    users.whenRemoved(async (manager, { username }) => {
      if (username !== null) {
        await this.throttle.forget(manager, username);
      }
    });
  }

  /** Begins a session. Throws BadCredentials, TooManyLogins, Overloaded, or the reason of `client.gone`. */
  async logIn(shown: Shown, client: Client): Promise<LoggedIn> {
    const account = shown.username.normalize('NFC');
    return this.passwords.attempt(account, () => this.verify(account, shown, client), client);
  }

  private async verify(account: string, { password, devices }: Shown, client: Client): Promise<LoggedIn> {
    const user = await this.users.findCredentials(account);
    const device = await this.devices.find(devices, user?.id);
    const admitted = await this.throttle.admit({ account, address: client.address, device });
    const passwordHash = user?.passwordHash ?? null;
    if (!(await this.passwords.matches(passwordHash, password, client))) {
      throw new BadCredentials(admitted.headers);
    }
    const renewed = await this.passwords.renewed(passwordHash!, password, client);
    await this.sessions.tidy();
    return this.database.write(async (manager) => {
      if (!(await this.users.confirmHash(manager, user!.id, passwordHash!, renewed))) {
        throw new BadCredentials(admitted.headers); // changed or deleted since it was read
      }
      return {
        headers: await this.throttle.succeeded(manager, admitted),
        device: await this.devices.remember(manager, user!.id, device),
        ...(await this.sessions.begin(manager, user!.id)),
      };
    });
  }
}
