import { Injectable, type OnModuleInit } from '@nestjs/common';
import { hash, verify, Algorithm } from '@node-rs/argon2';
import type { Client } from '../common/client';
import { widestNetworkOf } from '../common/network';
import { Config } from '../config';
import { coresFor } from './cores';
import { HashQueue } from './hash-queue';

/** Hashes and checks passwords with argon2id (OWASP Password Storage), each hash in its turn. */
@Injectable()
export class Passwords implements OnModuleInit {
  private readonly queue: HashQueue;
  private dummy: string;

  constructor(private readonly config: Config) {
    this.queue = new HashQueue(config.hashQueue, coresFor(config.processes));
  }

  async onModuleInit(): Promise<void> {
    this.dummy = await this.hash('');
  }

  /** How many log-ins, and how many hashes of bulk requests, are under way: they wait or run. */
  get underWay() {
    return this.queue.underWay;
  }

  /** Hashes the passwords of one request, in order. Throws Overloaded, or the reason of `client.gone`. */
  async hashAll(passwords: (string | undefined)[], client?: Client): Promise<(string | null)[]> {
    const given = passwords.filter((password) => password !== undefined);
    const hashes = await this.queue.bulk(
      widestNetworkOf(client?.address ?? ''),
      given.map((password) => () => this.hash(password)),
      client?.gone,
    );
    const inOrder = hashes.values();
    return passwords.map((password) => (password === undefined ? null : inOrder.next().value!));
  }

  /** Runs a whole log-in attempt in its turn. Throws Overloaded, or the reason of `client.gone`. */
  attempt<T>(account: string, logIn: () => Promise<T>, client: Client): Promise<T> {
    return this.queue.logIn({ account, network: widestNetworkOf(client.address) }, logIn, client.gone);
  }

  /**
   * Whether the password is the one. Without a hash it costs one check all the same,
   * so the time taken does not tell a stranger which usernames exist. Within an attempt only.
   */
  async matches(passwordHash: string | null, password: string, { address }: Client): Promise<boolean> {
    const matches = await this.queue.hash(widestNetworkOf(address), () => verify(passwordHash ?? this.dummy, password));
    return matches && passwordHash !== null;
  }

  /** A hash as the settings ask for now, if this one took less memory or fewer passes. Within an attempt only. */
  async renewed(passwordHash: string, password: string, { address }: Client): Promise<string | undefined> {
    const { memoryKiB, timeCost } = this.config.argon2;
    const [, memory, passes] = /\$m=(\d+),t=(\d+),/.exec(passwordHash) ?? [];
    return Number(memory) < memoryKiB || Number(passes) < timeCost
      ? this.queue.hash(widestNetworkOf(address), () => this.hash(password))
      : undefined;
  }

  private hash(password: string): Promise<string> {
    const { memoryKiB, timeCost, parallelism } = this.config.argon2;
    // The package declares Algorithm as a const enum, which isolated modules cannot read: 2 is argon2id.
    const algorithm = 2 as Algorithm.Argon2id;
    return hash(password, { algorithm, memoryCost: memoryKiB, timeCost, parallelism });
  }
}
