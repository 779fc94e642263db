import cluster, { type Worker } from 'node:cluster';
import { Logger } from '@nestjs/common';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** One that served this long did not fail at its start. */
const SERVED_WELL_MS = 10_000;
/** What a process may take beyond its own deadline, before it is killed. */
const GRACE_MS = 10_000;

/** What the processes that `runWorkers` starts find in their environment: the number of the one that started them. */
export const STARTED_BY = 'PET_USER_SERVICE_STARTED_BY';

/**
 * Runs the service in several processes that share one port, and waits for their end. One that cannot start ends them
 * all, until the first has served: from then on whatever ends is started again, for ever, after pauses that grow while
 * it keeps failing. SIGTERM, SIGINT and SIGHUP are passed on to each; one that goes on is killed, `deadlineMs` and a
 * grace later. Answers the worst exit code.
 */
export function runWorkers(count: number, deadlineMs: number): Promise<number> {
  const logger = new Logger('Workers');
  const servingSince = new Map<Worker, number>();
  const pauses = new Set<NodeJS.Timeout>();
  let served = false;
  let ending = false;
  let failures = 0;
  let worst = 0;

  const start = () => cluster.fork({ [STARTED_BY]: process.pid });
  const running = () => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
  const passOn = (signal: NodeJS.Signals) => running().forEach((worker) => worker.process.kill(signal));

  const startAgain = (worker: Worker, how: string) => {
    failures = performance.now() - (servingSince.get(worker) ?? Infinity) > SERVED_WELL_MS ? 0 : failures + 1;
    const pauseMs = failures < 2 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (failures - 2), LONGEST_PAUSE_MS);
    logger.error(`Process ${worker.process.pid} ended (${how}); another takes its place in ${pauseMs / 1_000} s`);
    const pause = setTimeout(() => pauses.delete(pause) && start(), pauseMs);
    pauses.add(pause);
  };

  return new Promise((resolve) => {
    const resolveWhenEnded = () => running().length === 0 && resolve(worst);
    const end = () => {
      ending = true;
      pauses.forEach(clearTimeout);
      passOn('SIGTERM');
      setTimeout(passOn, deadlineMs + GRACE_MS, 'SIGKILL').unref();
      resolveWhenEnded();
    };
    SIGNALS.forEach((signal) => process.on(signal, end));
    cluster.on('listening', (worker) => {
      served = true;
      servingSince.set(worker, performance.now());
    });
    cluster.on('exit', (worker, code, signal) => {
      if (served && !ending) {
        startAgain(worker, signal || String(code));
      } else {
        // Only one that had not come to listen for signals yet dies of SIGTERM.
        worst = Math.max(worst, signal === 'SIGTERM' ? 0 : (code ?? 1));
        if (!ending) {
          end();
        }
        resolveWhenEnded();
      }
      servingSince.delete(worker);
    });
    Array.from({ length: count }, start);
  });
}
