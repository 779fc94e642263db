import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
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
    const { user, device } = await this.database.read((manager) => this.look(manager, account, devices));
    const admitted = await this.throttle.admit({ account, address: client.address, device });
    const passwordHash = user?.passwordHash ?? null;
    if (!(await this.passwords.matches(passwordHash, password, client))) {
      throw new BadCredentials(admitted.headers);
    }
    const renewed = await this.passwords.renewed(passwordHash!, password, client);
    await this.sessions.tidy();
    return this.database.write(async (manager) => {
      // In one round trip. The user's row is held first; last what log-ins of the same network wait for.
      const [isCurrent, remembered, session, headers] = await Promise.all([
        this.users.confirmHash(manager, user!.id, passwordHash!, renewed),
        this.devices.remember(manager, user!.id, device),
        this.sessions.begin(manager, user!.id),
        this.throttle.succeeded(manager, admitted),
      ]);
      if (!isCurrent) {
        throw new BadCredentials(admitted.headers); // changed or deleted since it was read
      }
      return { headers, device: remembered, ...session };
    });
  }

  private async look(manager: EntityManager, account: string, devices: string[]) {
    const user = await this.users.findCredentials(manager, account);
    return { user, device: await this.devices.find(manager, devices, user?.id) };
  }
}
