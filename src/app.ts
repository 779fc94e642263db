import 'reflect-metadata';
import { VersioningType, type INestApplication, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module';
import { systemClock, type Clock } from './common/clock';
import type { Config } from './config';
import { observeRequests, Operations, parseQuery, securityHeaders } from './http';
import { AppLogger } from './logging';
import { Metrics } from './metrics';
import { ServedDocument } from './openapi';
import { ServerAdapter } from './server';

const VERSIONING = { type: VersioningType.URI } as const;

/**
 * The one set-up of the service, for main and for every test; a test may add modules of its own.
 * The caller listens and closes. Throws an Error that names a handler which says too little of itself.
 */
export async function createApp(
  config: Config,
  clock: Clock = systemClock,
  modules: Type[] = [],
): Promise<INestApplication> {
  const logger = new AppLogger(config);
  const adapter = new ServerAdapter(config);
  const app = await NestFactory.create<NestExpressApplication>(AppModule.of(config, clock, modules), adapter, {
    logger,
    bodyParser: false,
    abortOnError: false,
  });
  app.enableVersioning(VERSIONING);
  app.set('etag', false);
  app.set('trust proxy', config.trustedProxies);
  app.set('query parser', parseQuery);

  const express = app.getHttpAdapter().getInstance();
  // Express would answer 304 to `If-None-Match: *`, and keep the token of a log-in to itself.
  Object.defineProperty(express.request, 'fresh', { value: false });
  try {
    adapter.route(
      Operations.of(app),
      observeRequests(logger.request, app.get(Metrics, { strict: false }).observe),
      securityHeaders(),
    );
    app.get(ServedDocument, { strict: false }).describes(app);
    await app.init();
  } catch (error) {
    await app.close();
    throw error;
  }
  return app;
}

/** The same routes without anything behind them: no provider is made, no database opened. For the OpenAPI document. */
export async function describeApp(config: Config): Promise<INestApplication> {
  const module = AppModule.of(config, systemClock);
  const app = await NestFactory.create(module, { preview: true, logger: false, abortOnError: false });
  return app.enableVersioning(VERSIONING);
}
