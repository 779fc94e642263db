import { Logger } from '@nestjs/common';
import { Pool, type ClientConfig } from 'pg';
import { Connections } from './connections';
import type { Link } from './link';
import { ServiceClient } from './service-client';

/** A read that takes longer is done on the primary. */
const PATIENCE_MS = 1_000;
const LOOK_EVERY_MS = 5_000;

interface Replica {
  config: ClientConfig;
  pool: Pool;
  connections: Connections;
  /** Set while it is passed over. */
  comeback?: NodeJS.Timeout;
}

/** Read replicas, which take turns. One that fails or is slow is passed over until it answers again. */
export class Replicas {
  private readonly logger = new Logger('PostgreSQL');
  private readonly all: Replica[];
  private turn = 0;

  constructor(configs: ClientConfig[], poolSize: number) {
    this.all = configs.map((config) => {
      const pool = new Pool({ ...config, max: poolSize, Client: ServiceClient }).on('error', () => undefined);
      return { config, pool, connections: new Connections(pool, poolSize, config) };
    });
  }

  /** Undefined when no replica did it. */
  async read<T>(read: (link: Link) => Promise<T>): Promise<{ value: T } | undefined> {
    const good = this.all.filter(({ comeback }) => comeback === undefined);
    const replica = good[this.turn++ % good.length];
    if (replica === undefined) {
      return undefined;
    }
    try {
      const until = performance.now() + PATIENCE_MS;
      return { value: await inTime(replica.connections.use('read', until, read)) };
    } catch (error) {
      this.passOver(replica, error as Error);
      return undefined;
    }
  }

  async stop(): Promise<void> {
    for (const { comeback, connections, pool } of this.all) {
      clearInterval(comeback);
      connections.stop();
      await pool.end();
    }
  }

  private passOver(replica: Replica, { message }: Error): void {
    if (replica.comeback === undefined) {
      this.logger.warn(`A read replica is passed over: ${message}`);
      replica.comeback = setInterval(() => void this.look(replica), LOOK_EVERY_MS).unref();
    }
  }

  private async look(replica: Replica): Promise<void> {
    const client = new ServiceClient({ ...replica.config, connectionTimeoutMillis: PATIENCE_MS });
    try {
      await inTime(client.connect().then(() => client.query('SELECT 1')));
      clearInterval(replica.comeback);
      replica.comeback = undefined;
      this.logger.log('A read replica is back.');
    } catch {
      // Not yet.
    } finally {
      void client.end();
    }
  }
}

function inTime<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('It did not answer in time.')), PATIENCE_MS);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
