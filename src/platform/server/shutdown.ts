import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { Logger, type INestApplication } from '@nestjs/common';
import type { Config } from '../config';
import { Readiness } from '../health';
import type { OpenRequests } from './open-requests';
import type { ServerAdapter } from './server.adapter';

/** A terminal that closes sends SIGHUP. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** npm and a terminal may both pass on one Ctrl-C; only what comes later is a second signal. */
const SAME_SIGNAL_MS = 500;
const CLOSE_IDLE_EVERY_MS = 100;
const CLOSE_APP_MS = 5_000;
/** As many connections wait at most, if nobody says otherwise to `listen`. */
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

/** Node takes one connection from the system each time the event loop turns; those that still wait would be reset. */
async function acceptWaiting(openRequests: OpenRequests): Promise<void> {
  let before: number;
  let turns = 0;
  do {
    before = openRequests.accepted;
    await turn();
    turns += 1;
  } while (openRequests.accepted > before && turns < BACKLOG);
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
 * Stops listening and fulfils when the last connection has ended that speaks HTTP. Clients hear `Connection: close` only
 * now, so that they connect again elsewhere; idle connections get a moment to hear it too, and are closed right after
 * the event loop has read from all of them: no request that has arrived is lost.
 */
async function closeServer(server: Server, openRequests: OpenRequests): Promise<void> {
  // http.Server's own close() would close idle connections at once, and forget the time-outs of slow clients.
  NetServer.prototype.close.call(server);
  openRequests.sayClose();
  while (openRequests.hasConnections) {
    await sleep(CLOSE_IDLE_EVERY_MS);
    await turn();
    server.closeIdleConnections();
    openRequests.closeSilent();
  }
}
