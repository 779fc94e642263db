export { Metrics } from './metrics';
export { MetricsModule } from './metrics.module';
export { serveMetrics } from './metrics.server';
export { WorkerMetrics } from './worker-metrics';
