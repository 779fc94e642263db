import { STATUS_CODES, type Server } from 'node:http';
import { Module, VersioningType, type INestApplication, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApp } from '../../src/app';
import { systemClock } from '../../src/platform/common/clock';
import { loadConfig } from '../../src/platform/config';
import { temporaryFile } from '../../src/testing';

/** What an answer tells a client; what Nest and a problem say in different words stands here under one name. */
export interface Told {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

export interface Both {
  plain: INestApplication;
  ours: INestApplication;
  /** Sends one request to both. */
  ask: (path: string, init?: RequestInit) => Promise<{ plain: Told; ours: Told }>;
  stop: () => Promise<void>;
}

/** What main.ts of a plain application does with the app between `create` and `listen`. */
type Prepare = (app: NestExpressApplication) => unknown;

/** Starts a plain Nest application on Express, which is the judge, and the service, with the same modules in both. */
export const startBoth = (...modules: Type[]) => startBothWith(() => undefined, ...modules);

export async function startBothWith(prepare: Prepare, ...modules: Type[]): Promise<Both> {
  const plain = await startPlain(prepare, modules);
  const ours = await startOurs(prepare, modules).catch(async (error: unknown) => {
    await plain.close();
    throw error;
  });
  return {
    plain,
    ours,
    ask: async (path, init) => {
      const [theirs, answer] = await Promise.all(
        [plain, ours].map(async (app) => fetch((await app.getUrl()) + path, init)),
      );
      return { plain: await told(theirs!), ours: await told(answer!) };
    },
    stop: async () => {
      await Promise.all([plain.close(), ours.close()]);
    },
  };
}

async function startPlain(prepare: Prepare, imports: Type[]): Promise<INestApplication> {
  class PlainModule {}
  Module({ imports })(PlainModule);
  const app = await NestFactory.create<NestExpressApplication>(PlainModule, { logger: false, abortOnError: false });
  app.enableVersioning({ type: VersioningType.URI });
  await prepare(app);
  await app.listen(0, '127.0.0.1');
  return app;
}

/** The service, on a database of its own that goes with it. */
export async function startOurs(prepare: Prepare, modules: Type[]): Promise<INestApplication> {
  const { url, drop } = temporaryFile();
  try {
    const config = loadConfig({ DATABASE_URL: url, LOG_LEVEL: 'silent' });
    const app = await createApp(config, systemClock, modules, async (module, adapter, options) => {
      const created = await NestFactory.create<NestExpressApplication>(module, adapter, options);
      await prepare(created);
      return created;
    });
    await app.listen(0, '127.0.0.1');
    (app.getHttpServer() as Server).once('close', () => void drop());
    return app;
  } catch (error) {
    await drop();
    throw error;
  }
}

/** Of the connection, of this kind of server, or for the security of browsers; Allow is compared elsewhere. */
const ITS_OWN =
  /^(date|connection|keep-alive|etag|content-length|transfer-encoding|allow|x-(powered-by|request-id|content-type-options|dns-prefetch-control|download-options|frame-options|permitted-cross-domain-policies|xss-protection)|content-security-policy|cross-origin-.*|origin-agent-cluster|referrer-policy|strict-transport-security)$/;

async function told(answer: Response): Promise<Told> {
  const text = await answer.text();
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => !ITS_OWN.test(name)));
  if (answer.status < 400) {
    return { status: answer.status, headers, body: text };
  }
  delete headers['content-type'];
  return { status: answer.status, headers, body: failure(answer.status, JSON.parse(text) as Failure) };
}

type Failure = Partial<Record<'message' | 'errors' | 'detail', unknown>> & Record<string, unknown>;

const ENVELOPE = /^(statusCode|error|message|type|title|status|detail|instance|requestId|errors)$/;

/** The service never says why it failed by itself; where nothing is said, its detail is the status in words. */
function failure(status: number, body: Failure) {
  const message = status < 500 ? (body.errors ?? body.message ?? body.detail) : undefined;
  return {
    message: message === STATUS_CODES[status] || message === '' ? undefined : message,
    members: Object.fromEntries(Object.entries(body).filter(([name]) => !ENVELOPE.test(name))),
  };
}
