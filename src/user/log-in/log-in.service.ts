import { Injectable } from '@nestjs/common';
import { BadCredentials, Devices, Passwords, SessionService, type DeviceCookie } from '../../auth';
import type { Client } from '../../platform/common/client';
import { UnitOfWork } from '../../platform/database';
import { UserService } from '../user.service';
import { toUsername } from '../username';
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

interface LogInRequest {
  account: string;
  password: string;
  /** One that is known. */
  device: string | undefined;
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
    users.onUserDeleted(async ({ username }) => {
      if (username !== null) {
        await this.throttle.forget(username);
      }
    });
  }

  /**
   * Begins a session. At a device that is known its owner has a line of his own, however many wait for his account.
   * Throws BadCredentials, TooManyLogins, Overloaded, or the reason of `client.gone`.
   */
  async logIn({ username, password, devices }: Shown, client: Client): Promise<LoggedIn> {
    const account = toUsername(username);
    const device = devices.length > 0 ? await this.database.read(() => this.findDevice(account, devices)) : undefined;
    const line = device ? `device ${device}` : `account ${account}`;
    return this.passwords.attempt(line, () => this.verify({ account, password, device }, client), client);
  }

  private async verify({ account, password, device }: LogInRequest, client: Client): Promise<LoggedIn> {
    const user = await this.users.findCredentials(account);
    const admitted = await this.throttle.admit({ account, address: client.address, device });
    const passwordHash = user?.passwordHash ?? null;
    try {
      const kept = await this.passwords.verify(passwordHash, password, client);
      if (kept === undefined) {
        throw new BadCredentials(account, admitted.headers);
      }
      this.sessions.tidy();
      return await this.database.write(async () => {
        // The user's row is held first; last what log-ins of the same network wait for.
        const [isCurrent, remembered, session, headers] = await this.database.inOneRoundTrip([
          () => this.users.confirmHash(user!.id, passwordHash!, kept),
          () => this.devices.remember(user!.id, device),
          () => this.sessions.begin(user!.id),
          () => this.throttle.succeeded(admitted),
        ]);
        if (!isCurrent) {
          throw new BadCredentials(account, admitted.headers); // changed or deleted since it was read
        }
        return { headers, device: remembered, ...session };
      });
    } catch (error) {
      // Where the service itself fails, the client did not; but to hang up is what a guesser may do.
      if (!(error instanceof BadCredentials) && !client.gone.aborted) {
        await this.throttle.takeBack(admitted).catch(() => undefined);
      }
      throw error;
    }
  }

  private async findDevice(account: string, shown: string[]): Promise<string | undefined> {
    return this.devices.find(shown, (await this.users.findCredentials(account))?.id);
  }
}
