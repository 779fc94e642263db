import cluster, { type Worker } from 'node:cluster';
import { Logger } from '@nestjs/common';

/**
 * Runs the service in several processes that share one port, and waits for their end. One that dies is replaced;
 * one that cannot even start ends them all. SIGTERM, SIGINT and SIGHUP are passed on to each. Answers the worst exit code.
 */
export function runWorkers(count: number): Promise<number> {
  const logger = new Logger('Workers');
  const serving = new Set<Worker>();
  let ending = false;
  let worst = 0;
  const end = () => {
    ending = true;
    Object.values(cluster.workers ?? {}).forEach((worker) => worker?.process.kill('SIGTERM'));
  };
  process.on('SIGTERM', end).on('SIGINT', end).on('SIGHUP', end);
  cluster.on('listening', (worker) => serving.add(worker));
  return new Promise((resolve) => {
    cluster.on('exit', (worker, code, signal) => {
      if (serving.delete(worker) && !ending) {
        logger.error(`Process ${worker.process.pid} ended (${signal || code}); another takes its place`);
        cluster.fork();
        return;
      }
      worst = Math.max(worst, code ?? 1);
      if (Object.keys(cluster.workers ?? {}).length === 0) {
        resolve(worst);
      } else if (!ending) {
        end();
      }
    });
    Array.from({ length: count }, () => cluster.fork());
  });
}
