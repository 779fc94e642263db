import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';

const MEASURE_EVERY_MS = 50;
/** The share of its time that the event loop may be busy before it is left a core of its own. */
const BUSY = 0.5;

/**
 * How many hashes of this process may run at a time: as many as there are cores, and one less while the event loop has
 * much to do, so that everything else goes on. Processes on one machine divide the cores among them.
 */
export function coresFor(processes: number): () => number {
  const cores = availableParallelism();
  const shared = (count: number) => Math.max(1, Math.floor(count / processes));
  let seen = performance.eventLoopUtilization();
  let measureAt = 0;
  let free = shared(cores);
  return () => {
    if (performance.now() >= measureAt) {
      const now = performance.eventLoopUtilization();
      free = shared(performance.eventLoopUtilization(now, seen).utilization < BUSY ? cores : cores - 1);
      seen = now;
      measureAt = performance.now() + MEASURE_EVERY_MS;
    }
    return free;
  };
}
