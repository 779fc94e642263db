import { once } from 'node:events';
import { resolve } from 'node:path';
import { Worker } from 'node:worker_threads';

/** How much later than its idle twin a service answered a health check, at worst. */
export interface Delay {
  pings: number;
  later: number;
}

/**
 * Asks two services on the same machine at the same moments whether they live, one at work and one idle: what the
 * machine itself holds up, it holds up for both.
 */
export class Liveness {
  private readonly worker: Worker;

  constructor(busy: string, idle: string) {
    this.worker = new Worker(resolve(__dirname, 'pings.mjs'), { workerData: { busy, idle } });
  }

  async end(): Promise<Delay> {
    this.worker.postMessage('end');
    const [delay] = (await once(this.worker, 'message')) as [Delay];
    return delay;
  }
}
