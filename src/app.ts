import 'reflect-metadata';
import {
  VersioningType,
  type DynamicModule,
  type INestApplication,
  type NestApplicationOptions,
  type Type,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module';
import { systemClock, type Clock } from './platform/common/clock';
import type { Config } from './platform/config';
import { observeRequests, Operations, parseQuery, PUBLIC_URL, warnOfProxies } from './platform/http';
import { AppLogger } from './platform/logging';
import { Metrics } from './platform/metrics';
import { ServedDocument } from './platform/openapi';
import { ServerAdapter } from './platform/server';

const VERSIONING = { type: VersioningType.URI } as const;

type Create = (
  module: DynamicModule,
  adapter: ServerAdapter,
  options: NestApplicationOptions,
) => Promise<NestExpressApplication>;

/**
 * The one set-up of the service, for main and for every test. A test may add modules of its own, and have Nest's
 * testing module create the app. The caller listens and closes. Throws an Error that names a handler without what
 * @Endpoint must say of it.
 */
export async function createApp(
  config: Config,
  clock: Clock = systemClock,
  modules: Type[] = [],
  create: Create = (module, adapter, options) => NestFactory.create(module, adapter, options),
): Promise<INestApplication> {
  const logger = new AppLogger(config);
  const adapter = new ServerAdapter(config);
  const app = await create(AppModule.of(config, clock, modules), adapter, {
    logger,
    bodyParser: false,
    abortOnError: false,
  });
  app.enableVersioning(VERSIONING);
  app.set('etag', false);
  app.set('trust proxy', config.trustedProxies);
  app.set('query parser', parseQuery);
  app.set(PUBLIC_URL, config.publicUrl);

  const express = app.getHttpAdapter().getInstance();
  // Express would answer 304 to `If-None-Match: *`, and so withhold the token of a log-in.
  Object.defineProperty(express.request, 'fresh', { value: false }); // private: req.fresh
  try {
    adapter.route(
      Operations.of(app),
      observeRequests(logger.request, app.get(Metrics, { strict: false }).observe),
      warnOfProxies(config.trustedProxies),
    );
    app.get(ServedDocument, { strict: false }).describes(app);
    await app.init();
  } catch (error) {
    await app.close();
    throw error;
  }
  return app;
}

/** The same routes for the OpenAPI document: no provider is made, and no database opened. */
export async function describeApp(config: Config): Promise<INestApplication> {
  const module = AppModule.of(config, systemClock);
  const app = await NestFactory.create(module, { preview: true, logger: false, abortOnError: false });
  return app.enableVersioning(VERSIONING);
}
