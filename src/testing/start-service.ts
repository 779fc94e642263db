import type { Server } from 'node:http';
import type { INestApplication, LoggerService, Type } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { TestingModuleBuilder } from '@nestjs/testing';
import { createApp } from '../app';
import type { Clock } from '../platform/common/clock';
import { loadConfig, SETTINGS, settingsIn } from '../platform/config';
import { actions, type Actions } from './actions';
import { SettableClock } from './settable-clock';
import { temporaryFile, temporaryPostgres, type TemporaryDatabase } from './temporary-database';

export interface ServiceOptions<C extends Clock = SettableClock> {
  /** As in the environment: `{ PET_CREATION: 'token' }`. */
  settings?: Record<string, string>;
  /** A clock that stands still until `pass` moves it, if none is given. */
  clock?: C;
  /** Address of a PostgreSQL server, whose user may create databases; without it the database is a SQLite file. */
  postgres?: string;
  /** A database to use as it is, instead of a new one; `stop` leaves it, for another service on the same data. */
  database?: TemporaryDatabase;
  /** Modules beside the service's own. */
  modules?: Type[];
  /** With `@nestjs/testing`, as there: `(testing) => testing.overrideProvider(Mail).useValue(fake)`. */
  overrides?: (testing: TestingModuleBuilder) => unknown;
  /** Called with the app before it listens. */
  beforeListening?: (app: INestApplication) => void;
}

export interface RunningService<C extends Clock = SettableClock> extends Actions, AsyncDisposable {
  /** Where it listens, on a port of its own; supertest takes it as it is: `request(service.url)`. */
  url: string;
  app: INestApplication;
  clock: C;
  /** Ends the service and removes its database. The process can end without it, which removes a SQLite database too. */
  stop: () => Promise<void>;
}

/** Hashes and disk writes cost time and prove nothing in a suite. */
const QUICK = { SQLITE_SYNCHRONOUS: 'NORMAL', ARGON2_MEMORY_KIB: '8', ARGON2_TIME_COST: '1', LOG_LEVEL: 'silent' };

const KNOWN = new Set(settingsIn(SETTINGS).map(({ name }) => name));

/** Settings that the kit makes itself, and those that only the program reads. */
const NOT_HERE =
  /^(HOST|PORT|WEB_CONCURRENCY|METRICS_HOST|METRICS_PORT|DRAIN_MS|SHUTDOWN_DEADLINE_MS|DATABASE_URL)(_FILE)?$/;

/**
 * Starts the real service in this process, on a database and a port of its own, so that any number run side by side.
 * What was started is stopped again if something fails. Throws an Error for what is given and would do nothing.
 */
export async function startService<C extends Clock = SettableClock>(
  options: ServiceOptions<C> = {},
): Promise<RunningService<C>> {
  const {
    postgres,
    settings = {},
    modules,
    overrides,
    database: own,
    beforeListening,
    clock: given,
    ...unknown
  } = options;
  refuseUnknown(Object.keys(unknown), Object.keys(settings));
  const database = own ?? (postgres ? await temporaryPostgres(postgres) : temporaryFile());
  const drop = async () => (own ? undefined : database.drop());
  const clock = given ?? (new SettableClock() as unknown as C);
  try {
    const config = loadConfig({ ...QUICK, DATABASE_URL: database.url, ...settings });
    const app = await createApp(config, clock, modules, overrides && createWith(overrides));
    const url = await listen(app, beforeListening);
    const stop = once(() => awake(() => app.close().finally(drop)));
    return { url, app, clock, stop, [Symbol.asyncDispose]: stop, ...actions(url) };
  } catch (error) {
    await drop();
    throw error;
  }
}

function refuseUnknown(options: string[], settings: string[]): void {
  const faults = [
    ...options.map((name) => `startService has no option ${name}.`),
    ...settings
      .filter((name) => !KNOWN.has(name.replace(/_FILE$/, '')))
      .map((name) => `There is no setting ${name}; docs/settings.md lists them.`),
    ...settings
      .filter((name) => NOT_HERE.test(name))
      .map(
        (name) =>
          `The setting ${name} does nothing here: the service is one process on a free port, see url; ` +
          'for its database there is the option.',
      ),
  ];
  if (faults.length > 0) {
    throw new Error(faults.join('\n'));
  }
}

const createWith =
  (overrides: NonNullable<ServiceOptions['overrides']>): Parameters<typeof createApp>[3] =>
  async (module, adapter, options) => {
    const { Test } = await import('@nestjs/testing');
    const testing = Test.createTestingModule({ imports: [module] }).setLogger(options.logger as LoggerService);
    // The testing module would set it only when every provider has been made.
    const host = new HttpAdapterHost();
    host.httpAdapter = adapter;
    testing.overrideProvider(HttpAdapterHost).useValue(host);
    overrides(testing);
    return (await testing.compile()).createNestApplication<NestExpressApplication>(adapter, options);
  };

/** Neither the server nor its connections keep the process running. */
async function listen(app: INestApplication, beforeListening: ServiceOptions['beforeListening']): Promise<string> {
  try {
    beforeListening?.(app);
    await app.listen(0, '127.0.0.1');
    (app.getHttpServer() as Server).on('connection', (socket) => socket.unref()).unref();
    return await app.getUrl();
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** A second call waits for the first. */
function once(stop: () => Promise<void>): () => Promise<void> {
  let stopped: Promise<void> | undefined;
  return () => (stopped ??= stop());
}

/** Keeps the process running until the work is done. */
async function awake(work: () => Promise<void>): Promise<void> {
  const timer = setInterval(() => undefined, 60_000);
  await work().finally(() => clearInterval(timer));
}
