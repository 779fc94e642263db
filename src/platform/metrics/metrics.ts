import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { FinishedRequest } from '../http';
import { UnitOfWork } from '../database';
import { standardOutput } from '../logging';
import type { ServerAdapter } from '../server';
import { exposeToPrimary } from './worker-metrics';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * The numbers of one app, in the names and units that Prometheus advises. A module registers its own in a constructor;
 * they are read at each scrape. A request of no known route has the route "none".
 */
@Injectable()
export class Metrics {
  private readonly registry = new Registry();
  private readonly requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer; status is "aborted" when the client went first',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: SECONDS,
    registers: [this.registry],
  });

  constructor(database: UnitOfWork, { httpAdapter }: HttpAdapterHost<ServerAdapter>) {
    const { admission, openRequests } = httpAdapter;
    this.gauge('http_requests_open', 'Requests that are not answered yet', () => openRequests.count);
    this.counter('http_requests_refused_total', 'Requests refused for overload', () => admission.refused);
    this.gauge('database_units_waiting', 'Units that wait for the database', () => database.metrics.waiting);
    this.counter('database_units_total', 'Writing units that were run', () => database.metrics.units);
    this.counter(
      'log_lines_dropped_total',
      'Log lines that standard output did not accept',
      () => standardOutput.dropped,
    );
    this.counter('database_commits_total', 'Transactions that they shared', () => database.metrics.commits);
  }

  /** Adds those of the process: event loop, memory, garbage collection. Answers all as text. */
  expose(): () => Promise<string> {
    collectDefaultMetrics({ register: this.registry });
    exposeToPrimary(this.registry);
    return () => this.registry.metrics();
  }

  observe = ({ method, route, status, ms }: FinishedRequest): void => {
    this.requests.observe({ method, route: route ?? 'none', status: status ?? 'aborted' }, ms / 1_000);
  };

  /** A number that rises and falls. */
  gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }

  /** A number that only grows. */
  counter(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }
}
