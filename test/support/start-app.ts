import type { Server } from 'node:http';
import type { INestApplication, Type } from '@nestjs/common';
import request from 'supertest';
import type TestAgent from 'supertest/lib/agent';
import { systemClock, type Clock } from '../../src/platform/common/clock';
import { UnitOfWork } from '../../src/platform/database';
import { startService } from '../../src/testing';
import { observe } from './conformance';
import { emptying } from './emptying';
import { expectAlive, leaveRudely } from './rude-clients';
import { createTestDatabase, type TestDatabase } from './test-database';

export interface RunningApp {
  app: INestApplication;
  /** Address of the app, on a port of its own. */
  url: string;
  http: TestAgent;
  database: UnitOfWork;
  query: <T = Record<string, unknown>>(sql: string) => Promise<T[]>;
  /** Makes the database as it was at the first call, if it was empty then: far quicker than an app for each test. */
  empty: () => Promise<void>;
  stop: () => Promise<void>;
}

/** Starts the real app on a database of its own and watches its answers; `settings` as in the environment. */
export async function startApp(
  settings: Record<string, string> = {},
  ownDatabase?: TestDatabase,
  clock: Clock = systemClock,
  modules: Type[] = [],
): Promise<RunningApp> {
  const stored = ownDatabase ?? (await createTestDatabase());
  const service = await startService({
    settings,
    clock,
    modules,
    database: stored,
    // openapi.json says nothing of a test's own modules.
    beforeListening: (built) => modules.length === 0 && observe(built.getHttpServer() as Server),
  }).catch((error: unknown) => stored.drop().then(() => Promise.reject(error as Error)));
  const { app, url } = service;
  const stop = () => service.stop().finally(() => stored.drop());
  leftRunning.add(stop);
  const database = app.get(UnitOfWork, { strict: false });
  let emptied: ReturnType<typeof emptying> | undefined;
  const query: RunningApp['query'] = (sql) => database.read((manager) => manager.query(sql));
  return {
    app,
    url,
    http: request(url),
    database,
    query,
    empty: async () => (await (emptied ??= emptying(database)))(),
    stop: async () => {
      await endRudely(app.getHttpServer() as Server, url).finally(stop);
      leftRunning.delete(stop);
    },
  };
}

/** The environment of the tests stops them, see environment.ts. */
const leftRunning = new Set<() => Promise<void>>();
Object.assign(globalThis, { leftRunning });

let left = false;

/** Once in each suite, clients leave without a word, whatever state its tests have left an app in: every app lives on. */
async function endRudely({ listening }: Server, url: string): Promise<void> {
  if (!listening) {
    return;
  }
  if (!left) {
    left = true;
    await leaveRudely(url);
  }
  await expectAlive(url);
}

/** Creates a user, logs in, and answers the token. */
export async function tokenFor({ http }: RunningApp, username = 'tess', password = 'right'): Promise<string> {
  await http.post('/v2/user/createWithList').send([{ username, password }]).expect(200);
  const { body } = await http.get('/v2/user/login').query({ username, password }).expect(200);
  return body as string;
}
