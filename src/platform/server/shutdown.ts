import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as nextIteration, setTimeout as sleep } from 'node:timers/promises';
import { Logger, type INestApplication } from '@nestjs/common';
import type { Config } from '../config';
import { Readiness } from '../health';
import type { OpenRequests } from './open-requests';
import type { ServerAdapter } from './server.adapter';

/** A terminal that closes sends SIGHUP. */
export const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** npm and a terminal may both pass on one Ctrl-C: within this time two signals count as one. */
const SAME_SIGNAL_MS = 500;
const CLOSE_IDLE_EVERY_MS = 100;
const CLOSE_APP_MS = 5_000;
/** Connections that the system keeps waiting for `listen`, by Node's default. */
const BACKLOG = 511;

/**
 * Waits for SIGTERM, SIGINT or SIGHUP and ends the service: readiness off, a pause in which balancers notice,
 * no new connections, open requests finished, database closed.
 * Answers how many requests were cut at the deadline. A second signal ends the process at once, with 1.
 */
export async function shutDownOnSignal(app: INestApplication, config: Config['shutdown']): Promise<number> {
  const logger = new Logger('Shutdown');
  logger.log(`${await signalled()}: not ready any more`);
  const deadline = AbortSignal.timeout(config.deadlineMs);
  app.get(Readiness, { strict: false }).drain();
  await sleep(Math.min(config.drainMs, config.deadlineMs));
  const server = app.getHttpServer() as Server;
  const { openRequests } = app.getHttpAdapter() as ServerAdapter;
  await acceptWaiting(openRequests);

  logger.log('No new connections');
  let cut = 0;
  const cutOff = () => {
    cut = openRequests.count;
    server.closeAllConnections();
  };
  const closed = closeServer(server, openRequests);
  if (deadline.aborted) {
    cutOff();
  } else {
    deadline.addEventListener('abort', cutOff);
  }
  await closed;
  await Promise.race([app.close(), sleep(CLOSE_APP_MS)]);
  logger.log('Ended');
  return cut;
}

/** Node accepts one connection in each iteration of the event loop; those that still wait would be reset. */
async function acceptWaiting(openRequests: OpenRequests): Promise<void> {
  let before: number;
  let iterations = 0;
  do {
    before = openRequests.accepted;
    await nextIteration();
    iterations += 1;
  } while (openRequests.accepted > before && iterations < BACKLOG);
}

/** Fulfils at the first signal; from then on a second one ends the process. */
function signalled(): Promise<NodeJS.Signals> {
  let first: number | undefined;
  return new Promise((resolve) => {
    const receive = (signal: NodeJS.Signals) => {
      first ??= performance.now();
      if (performance.now() - first > SAME_SIGNAL_MS) {
        process.exit(1);
      }
      resolve(signal);
    };
    SIGNALS.forEach((signal) => process.on(signal, receive));
  });
}

/**
 * Stops listening, and fulfils when the last connection that speaks HTTP has ended. Answers say `Connection: close`
 * only from now on, so that clients connect again elsewhere. An idle connection gets a moment to send its next request.
 * It is closed right after the event loop has read from all connections, so no request that has arrived is lost.
 */
async function closeServer(server: Server, openRequests: OpenRequests): Promise<void> {
  // http.Server's own close() would close idle connections at once, and stop the time-outs of slow clients.
  NetServer.prototype.close.call(server); // private: Server.close beside the one of node:net
  openRequests.sayClose();
  while (openRequests.hasConnections) {
    await sleep(CLOSE_IDLE_EVERY_MS);
    await nextIteration();
    server.closeIdleConnections();
    openRequests.closeSilent();
  }
}
