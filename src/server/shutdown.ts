import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, type INestApplication } from '@nestjs/common';
import type { Config } from '../config';
import { Readiness } from '../health';
import type { OpenRequests } from './open-requests';
import type { ServerAdapter } from './server.adapter';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** npm and a terminal may both pass on one Ctrl-C; only what comes later is a second signal. */
const SAME_SIGNAL_MS = 500;
const CLOSE_IDLE_EVERY_MS = 100;
const CLOSE_APP_MS = 5_000;

/**
 * Waits for SIGTERM or SIGINT and ends the service: readiness off, a pause in which balancers notice and busy
 * clients are told `Connection: close`, no new connections, open requests finished, database closed.
 * Answers how many requests were cut at the deadline. A second signal ends the process at once, with 1.
 */
export async function shutDownOnSignal(app: INestApplication, config: Config['shutdown']): Promise<number> {
  const logger = new Logger('Shutdown');
  const signal = await nextSignal();
  logger.log(`${signal}: draining`);
  setTimeout(() => void nextSignal().then(() => process.exit(1)), SAME_SIGNAL_MS).unref();
  const deadline = AbortSignal.timeout(config.deadlineMs);
  app.get(Readiness, { strict: false }).drain();
  const { openRequests } = app.getHttpAdapter() as ServerAdapter;
  openRequests.drain();
  await sleep(Math.min(config.drainMs, config.deadlineMs));

  let cut = 0;
  const server = app.getHttpServer() as Server;
  deadline.addEventListener('abort', () => {
    cut = openRequests.count;
    server.closeAllConnections();
  });
  await closeServer(server, openRequests);
  await Promise.race([app.close(), sleep(CLOSE_APP_MS)]);
  logger.log('Ended');
  return cut;
}

function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => SIGNALS.forEach((signal) => process.once(signal, resolve)));
}

/**
 * Stops accepting and fulfils when the last connection has ended. Connections are closed right after the event loop
 * has read from all of them, so that no request which has arrived by then is lost.
 */
async function closeServer(server: Server, openRequests: OpenRequests): Promise<void> {
  const closeIdle = setInterval(() => {
    setImmediate(() => {
      server.closeIdleConnections();
      openRequests.closeSilent();
    });
  }, CLOSE_IDLE_EVERY_MS);
  await new Promise<void>((resolve) => setImmediate(() => server.close(() => resolve())));
  clearInterval(closeIdle);
}
