import type { Server } from 'node:http';
import type { INestApplication } from '@nestjs/common';
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
): Promise<RunningApp> {
  const { url: databaseUrl, drop } = ownDatabase ?? (await createTestDatabase());
  const app = await createApp(
    loadConfig({
      DATABASE_URL: databaseUrl,
      SQLITE_SYNCHRONOUS: 'NORMAL',
      ARGON2_MEMORY_KIB: '8',
      ARGON2_TIME_COST: '1',
      LOG_LEVEL: 'silent',
      ...settings,
    }),
    clock,
  );
  observe(app.getHttpServer() as Server);
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  const database = app.get(UnitOfWork, { strict: false });
  return {
    app,
    url,
    http: request(url),
    database,
    query: (sql) => database.read((manager) => manager.query(sql)),
    stop: async () => {
      await app.close();
      await drop();
    },
  };
}

/** Creates a user, logs in, and answers the token. */
export async function tokenFor({ http }: RunningApp, username = 'tess', password = 'right'): Promise<string> {
  await http.post('/v2/user/createWithList').send([{ username, password }]).expect(200);
  const { body } = await http.get('/v2/user/login').query({ username, password }).expect(200);
  return body as string;
}
