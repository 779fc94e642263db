import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { hash, verify, Algorithm } from '@node-rs/argon2';
import type { Client } from '../../platform/common/client';
import { widestNetworkOf } from '../../platform/common/network';
import { Config } from '../../platform/config';
import { Metrics } from '../../platform/metrics';
import { coresFor } from './cores';
import { HASH_BOUNDS, isHashInBounds } from './hash-bounds';
import { HashQueue } from './hash-queue';

/** Hashes and checks passwords with argon2id (OWASP Password Storage), in Unicode NFC, by a queue. */
@Injectable()
export class Passwords implements OnModuleInit {
  private readonly queue: HashQueue;
  private dummy: string;

  constructor(
    private readonly config: Config,
    metrics: Metrics,
  ) {
    this.queue = new HashQueue(config.hashQueue, coresFor(config.processes));
    metrics.gauge('login_hashes_waiting', 'Log-ins that wait to be hashed or are', () => this.underWay.logIns);
    metrics.gauge('bulk_hashes_waiting', 'Hashes that bulk creations wait for', () => this.underWay.bulk);
  }

  async onModuleInit(): Promise<void> {
    this.dummy = await this.hash('');
  }

  /** How many log-ins, and how many hashes of bulk requests, are under way: they wait or run. */
  get underWay() {
    return this.queue.underWay;
  }

  /** Hashes the passwords of one request, in order. Throws Overloaded, or the reason of `client.gone`. */
  async hashAll(passwords: (string | null | undefined)[], client?: Client): Promise<(string | null)[]> {
    const given = passwords.filter((password) => password != null);
    const hashes = await this.queue.bulk(
      widestNetworkOf(client?.address ?? ''),
      given.map((password) => () => this.hash(password)),
      client?.gone,
    );
    const inOrder = hashes.values();
    return passwords.map((password) => (password == null ? null : inOrder.next().value!));
  }

  /** Runs a whole log-in attempt; of those in one line, one at a time. Throws as `hashAll`. */
  attempt<T>(line: string, logIn: () => Promise<T>, client: Client): Promise<T> {
    return this.queue.logIn(line, widestNetworkOf(client.address), logIn, client.gone);
  }

  /**
   * The hash to keep of a password that is the one: the same, or another where this one took less memory or fewer
   * passes than the settings ask for now, or is not of NFC; undefined for any other password. Without a hash it costs
   * as many checks as for a wrong password, so the time taken does not tell a stranger which usernames exist; so does a
   * hash that is out of bounds. Within an attempt only.
   */
  async verify(passwordHash: string | null, password: string, { address }: Client): Promise<string | undefined> {
    const isUsable = passwordHash !== null && isHashInBounds(passwordHash);
    if (passwordHash !== null && !isUsable) {
      new Logger('Passwords').warn(
        `A stored password is no hash by argon2id of ${HASH_BOUNDS}: nobody logs in with it`,
      );
    }
    const network = widestNetworkOf(address);
    const inNfc = password.normalize('NFC');
    // Earlier releases hashed passwords as they were spelled.
    for (const spelling of new Set([inNfc, password])) {
      const matches = await this.queue.hash(network, () => verify(isUsable ? passwordHash : this.dummy, spelling));
      if (matches && isUsable) {
        const isCurrent = spelling === inNfc && !this.isWeak(passwordHash);
        return isCurrent ? passwordHash : this.queue.hash(network, () => this.hash(password));
      }
    }
    return undefined;
  }

  private isWeak(passwordHash: string): boolean {
    const { memoryKiB, timeCost } = this.config.argon2;
    const [, memory, passes] = /\$m=(\d+),t=(\d+),/.exec(passwordHash) ?? [];
    return Number(memory) < memoryKiB || Number(passes) < timeCost;
  }

  private hash(password: string): Promise<string> {
    const { memoryKiB, timeCost, parallelism } = this.config.argon2;
    // The package declares Algorithm as a const enum, which isolated modules cannot read: 2 is argon2id.
    const algorithm = 2 as Algorithm.Argon2id;
    return hash(password.normalize('NFC'), { algorithm, memoryCost: memoryKiB, timeCost, parallelism });
  }
}
