import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue, type Registry } from 'prom-client';

type Snapshot = MetricObjectWithValues<MetricValue<string>>[];

const QUESTION = 'metrics?';
const ANSWER_MS = 1_000;

/** Types that only grow: they still count when their process has ended. */
const GROWING = ['counter', 'histogram'];

/** In a process that `runWorkers` has started: answers the questions of that one. */
export function exposeToPrimary(registry: Registry): void {
  process.on('message', (message) => {
    if (message === QUESTION) {
      void registry.getMetricsAsJSON().then((metrics) => process.send?.({ metrics }));
    }
  });
}

/**
 * In the process that starts the others: the sums of their numbers. A process that does not answer within a second
 * counts with its latest answer. What only grows keeps counting when its process has ended, so no counter ever falls.
 */
export class WorkerMetrics {
  private readonly latest = new Map<Worker, Snapshot>();
  private ended: Snapshot = [];

  constructor() {
    cluster.on('message', (worker, { metrics }: { metrics?: Snapshot }) => {
      if (metrics && !worker.isDead()) {
        this.latest.set(worker, metrics);
      }
    });
    cluster.on('exit', (worker) => this.keep(worker));
  }

  /** In Prometheus' text. */
  collect = async (): Promise<string> => {
    const late = AbortSignal.timeout(ANSWER_MS);
    await Promise.all(Object.values(cluster.workers ?? {}).map((worker) => ask(worker!, late)));
    return sum(this.ended, ...this.latest.values()).metrics();
  };

  private keep(worker: Worker): void {
    const growing = (this.latest.get(worker) ?? []).filter(({ type }) => GROWING.includes(String(type)));
    this.latest.delete(worker);
    // The sums carry their values, as a snapshot does.
    // private: the values of getMetricsAsArray
    this.ended = sum(this.ended, growing).getMetricsAsArray() as unknown as Snapshot;
  }
}

const sum = (...snapshots: Snapshot[]) => AggregatorRegistry.aggregate(snapshots);

/** Fulfils at the answer, or when the worker is late or gone. */
async function ask(worker: Worker, late: AbortSignal): Promise<void> {
  const answered = once(worker, 'message', { signal: late });
  worker.send(QUESTION, () => undefined);
  await answered.catch(() => undefined);
}
