import type { ClientConfig, Pool, PoolClient } from 'pg';
import { Unavailable } from '../../common/problem';
import { ConnectionShares, type Kind } from './connection-shares';
import { BorrowedConnection } from './borrowed-connection';
import { isReadOnly } from './postgres-errors';
import { Watchdog } from './watchdog';

const RETIRE_EVERY_MS = 250;

/** The connections to one server: who may have one, and which of them are no good any more. */
export class Connections {
  private readonly shares: ConnectionShares;
  private readonly watchdog: Watchdog;
  private readonly openedAt = new WeakMap<PoolClient, number>();
  private retiredUntil = 0;

  constructor(
    private readonly pool: Pool,
    size: number,
    private readonly config: ClientConfig,
  ) {
    this.shares = new ConnectionShares(size);
    this.watchdog = new Watchdog(config, () => this.retire());
    pool.on('connect', (client) => this.openedAt.set(client, performance.now()));
  }

  /**
   * Lends a connection to `work`. Waits for it until then, as performance.now() counts, and throws Unavailable when
   * there is none. One that failed is closed afterwards.
   */
  async use<T>(kind: Kind, until: number, work: (connection: BorrowedConnection) => Promise<T>): Promise<T> {
    const leave = await this.shares.enter(kind, until);
    try {
      const client = await this.take(until);
      const connection = new BorrowedConnection(client, this.config.types, this.watchdog);
      try {
        return await work(connection);
      } catch (error) {
        if (isReadOnly(error)) {
          connection.isSpent = true;
          this.retire();
        }
        throw error;
      } finally {
        client.release(connection.isSpent);
      }
    } finally {
      leave();
    }
  }

  stop(): void {
    this.watchdog.stop();
  }

  /** No connection that is open now is used again: the server behind them has failed, or is no longer the primary. */
  private retire(): void {
    const now = performance.now();
    // Where fresh ones are no better, reads go on with them (default_transaction_read_only).
    if (now - this.retiredUntil > RETIRE_EVERY_MS) {
      this.retiredUntil = now;
    }
  }

  private async take(until: number): Promise<PoolClient> {
    for (;;) {
      const client = await this.open(until);
      if (this.openedAt.get(client)! > this.retiredUntil) {
        return client;
      }
      client.release(true);
    }
  }

  private open(until: number): Promise<PoolClient> {
    const opening = this.pool.connect();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => {
          reject(new Unavailable(new Error('The server did not take a connection in time.')));
          opening.then(
            (client) => client.release(),
            () => undefined,
          );
        },
        Math.max(0, until - performance.now()),
      );
      opening.then(resolve, (error) => reject(new Unavailable(error))).finally(() => clearTimeout(timer));
    });
  }
}
