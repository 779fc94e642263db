import cluster, { type Worker } from 'node:cluster';
import { Logger } from '@nestjs/common';
import { SIGNALS } from './shutdown';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** A process that served this long did not fail at its start. */
const SERVED_WELL_MS = 10_000;
/** Time that a process gets beyond its own deadline, before it is killed. */
const GRACE_MS = 10_000;

/** Variable that `runWorkers` gives to the processes that it starts: its own process id. */
export const STARTED_BY = 'PET_USER_SERVICE_STARTED_BY';

/**
 * Runs the service in several processes that share one port, and waits for their end. Until the first process serves,
 * one that fails ends them all. From then on every process that ends is started again, after pauses that grow while it
 * keeps failing. SIGTERM, SIGINT and SIGHUP are passed on to each process; one that has not ended `deadlineMs` and a
 * grace later is killed. Answers the worst exit code.
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
        // SIGTERM itself ends only a process that does not listen for signals yet.
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
