import { Logger } from '@nestjs/common';
import { DatabaseError, type Client, type ClientConfig } from 'pg';
import { ServiceClient } from './service-client';

const POLL_EVERY_MS = 250;
/** A statement that takes longer is asked about. */
const PATIENCE_MS = 1_000;
/** A connection that is silent for so long is given up when the server is silent altogether. */
const SILENCE_MS = 2_500;

interface Call {
  client: Client;
  since: number;
  pollAt: number;
  /** A fresh connection answered, and knew nothing of this one. */
  isSuspect: boolean;
}

interface Backend {
  pid: number;
  isOwn: boolean;
  works: boolean;
  isOld: boolean;
}

/**
 * Gives up connections that a frozen, vanished or replaced server left behind. They look open, and answer no more;
 * the system would notice after minutes. When a statement takes long, a fresh connection through the same address is
 * asked whether the server still works on it: if so, it may take as long as its time-out lets it.
 */
export class Watchdog {
  private readonly logger = new Logger('PostgreSQL');
  private readonly calls = new Set<Call>();
  private readonly timer = setInterval(() => void this.poll(), POLL_EVERY_MS).unref();
  private isPolling = false;

  /** `gaveUp` is called when a connection was given up: others that are as old may be no better. */
  constructor(
    private readonly config: ClientConfig,
    private readonly gaveUp: () => void,
  ) {}

  /** Until the answer is called, somebody waits for this connection. */
  watch(client: Client): () => void {
    const since = performance.now();
    const call = { client, since, pollAt: since + PATIENCE_MS, isSuspect: false };
    this.calls.add(call);
    return () => this.calls.delete(call);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async poll(): Promise<void> {
    const now = performance.now();
    const late = [...this.calls].filter(({ pollAt }) => pollAt <= now);
    if (late.length === 0 || this.isPolling) {
      return;
    }
    this.isPolling = true;
    const worksOn = await this.ask(late.map(({ client }) => processId(client)));
    this.isPolling = false;
    const lost = late.filter((call) => this.calls.has(call) && this.isLost(call, worksOn));
    lost.forEach(({ client }) => void client.end());
    if (lost.length > 0) {
      this.logger.warn(`Connections that stayed silent were given up: ${lost.length}.`);
      this.gaveUp();
    }
  }

  private isLost(call: Call, worksOn: ((processId: number) => boolean) | undefined): boolean {
    const now = performance.now();
    if (worksOn === undefined) {
      return now - call.since > SILENCE_MS;
    }
    if (worksOn(processId(call.client))) {
      call.pollAt = now + PATIENCE_MS;
      call.isSuspect = false;
      return false;
    }
    // Its answer may have been on the way while the server was asked: asked once more.
    const wasSuspect = call.isSuspect;
    call.isSuspect = true;
    return wasSuspect;
  }

  /** Which of these backends work; undefined when the server is silent. */
  private async ask(processIds: number[]): Promise<((processId: number) => boolean) | undefined> {
    const client = new ServiceClient({
      ...this.config,
      connectionTimeoutMillis: PATIENCE_MS,
      query_timeout: PATIENCE_MS,
    });
    try {
      await client.connect();
      const { rows } = await client.query<Backend>(
        `SELECT "pid", "pid" = pg_backend_pid() AS "isOwn", "state" IN ('active', 'disabled') AS "works",
          "query_start" < now() - interval '${PATIENCE_MS * 0.9} ms' AS "isOld"
        FROM pg_stat_activity WHERE "pid" = pg_backend_pid() OR "pid" = ANY($1) OR "application_name" = $2`,
        [processIds, this.config.application_name],
      );
      return worksOn(rows, processId(client));
    } catch (error) {
      // Refused is not silent: too many connections, say.
      return error instanceof DatabaseError ? () => true : undefined;
    } finally {
      void client.end();
    }
  }
}

/**
 * Behind a pooler the process id of a connection means nothing: there any statement of ours that has been running
 * for as long may be the one. Where a server does not show its backends, every one may work.
 */
function worksOn(backends: Backend[], ownProcessId: number): (processId: number) => boolean {
  const own = backends.find(({ isOwn }) => isOwn);
  const working = backends.filter(({ isOwn, works }) => !isOwn && works);
  if (own === undefined) {
    return () => true;
  }
  return own.pid === ownProcessId
    ? (processId) => working.some(({ pid }) => pid === processId)
    : () => working.some(({ isOld }) => isOld);
}

const processId = (client: Client) => (client as Client & { processID: number }).processID; // private: Client.processID
