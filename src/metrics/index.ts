export { Metrics } from './metrics';
export { MetricsModule } from './metrics.module';
export { collectFromWorkers, serveMetrics } from './metrics.server';
