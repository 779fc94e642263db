import type { Server } from 'node:http';
import type { INestApplication, Type } from '@nestjs/common';
import request from 'supertest';
import type TestAgent from 'supertest/lib/agent';
import { createApp } from '../../src/app';
import { systemClock, type Clock } from '../../src/common/clock';
import { loadConfig } from '../../src/config';
import { UnitOfWork } from '../../src/database';
import { observe } from './conformance';
import { createTestDatabase, type TestDatabase } from './test-database';

export interface RunningApp {
  app: INestApplication;
  /** Address of the app, on a port of its own. */
  url: string;
  http: TestAgent;
  database: UnitOfWork;
  query: <T = Record<string, unknown>>(sql: string) => Promise<T[]>;
  stop: () => Promise<void>;
}

/** Starts the real app on a database of its own, with cheap hashes; `settings` as in the environment. */
export async function startApp(
  settings: Record<string, string> = {},
  ownDatabase?: TestDatabase,
  clock: Clock = systemClock,
  modules: Type[] = [],
): Promise<RunningApp> {
  const database = ownDatabase ?? (await createTestDatabase());
  try {
    const config = loadConfig({
      DATABASE_URL: database.url,
      SQLITE_SYNCHRONOUS: 'NORMAL',
      ARGON2_MEMORY_KIB: '8',
      ARGON2_TIME_COST: '1',
      LOG_LEVEL: 'silent',
      ...settings,
    });
    const app = await createApp(config, clock, modules);
    // openapi.json says nothing of a test's own modules.
    if (modules.length === 0) {
      observe(app.getHttpServer() as Server);
    }
    return await listening(app, database);
  } catch (error) {
    await database.drop();
    throw error;
  }
}

/** What is started is also stopped, or a failing test would keep its process alive. */
async function listening(app: INestApplication, { drop }: TestDatabase): Promise<RunningApp> {
  try {
    await app.listen(0, '127.0.0.1');
  } catch (error) {
    await app.close();
    throw error;
  }
  const url = await app.getUrl();
  const database = app.get(UnitOfWork, { strict: false });
  return {
    app,
    url,
    http: request(url),
    database,
    query: (sql) => database.read((manager) => manager.query(sql)),
    stop: () => app.close().finally(drop),
  };
}

/** Creates a user, logs in, and answers the token. */
export async function tokenFor({ http }: RunningApp, username = 'tess', password = 'right'): Promise<string> {
  await http.post('/v2/user/createWithList').send([{ username, password }]).expect(200);
  const { body } = await http.get('/v2/user/login').query({ username, password }).expect(200);
  return body as string;
}
