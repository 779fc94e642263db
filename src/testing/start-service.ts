import type { INestApplication, Type } from '@nestjs/common';
import { createApp } from '../app';
import type { Clock } from '../common/clock';
import { loadConfig } from '../config';
import { SettableClock } from './settable-clock';
import { temporaryFile, temporaryPostgres, type TemporaryDatabase } from './temporary-database';

export interface ServiceOptions<C extends Clock = SettableClock> {
  /** As in the environment: `{ PET_CREATION: 'token' }`. */
  settings?: Record<string, string>;
  /** A clock that stands still until `pass` moves it, if none is given. */
  clock?: C;
  /** Address of a PostgreSQL server, whose user may create databases; without it the service stores in a SQLite file. */
  postgres?: string;
  /** A database to use as it is, instead of a new one. */
  database?: TemporaryDatabase;
  /** Modules beside the service's own. */
  modules?: Type[];
  /** Called with the app before it listens. */
  beforeListening?: (app: INestApplication) => void;
}

export interface RunningService<C extends Clock = SettableClock> {
  /** Where it listens, on a port of its own; supertest takes it as it is: `request(service.url)`. */
  url: string;
  app: INestApplication;
  clock: C;
  /** `fetch` at the service; an object as `json` is sent as a JSON body. */
  request: (path: string, init?: RequestInit & { json?: unknown }) => Promise<Response>;
  /** Creates a pet, and answers it as the service does. */
  aPet: (members?: Record<string, unknown>) => Promise<{ id: number; name: string } & Record<string, unknown>>;
  /** Creates a user who can log in. */
  aUser: (members?: Record<string, unknown>) => Promise<Credentials>;
  /** Logs in, as a new user if none is given, and answers the bearer token. */
  logIn: (user?: Credentials) => Promise<string>;
  /** Ends the service and removes its database. */
  stop: () => Promise<void>;
}

export interface Credentials {
  username: string;
  password: string;
}

/** Cheap where it costs time and proves nothing: hashes, and a disk that survives power cuts. */
const QUICK = { SQLITE_SYNCHRONOUS: 'NORMAL', ARGON2_MEMORY_KIB: '8', ARGON2_TIME_COST: '1', LOG_LEVEL: 'silent' };

/**
 * Starts the real service in this process, on a database and a port of its own, so that any number run side by side.
 * What was started is stopped again if something fails.
 */
export async function startService<C extends Clock = SettableClock>(
  options: ServiceOptions<C> = {},
): Promise<RunningService<C>> {
  const { postgres, settings } = options;
  const database = options.database ?? (postgres ? await temporaryPostgres(postgres) : temporaryFile());
  const clock = options.clock ?? (new SettableClock() as unknown as C);
  try {
    const config = loadConfig({ ...QUICK, DATABASE_URL: database.url, ...settings });
    const app = await createApp(config, clock, options.modules);
    const url = await listen(app, options);
    const stop = once(() => app.close().finally(() => database.drop()));
    return { url, app, clock, stop, ...actions(url) };
  } catch (error) {
    await database.drop();
    throw error;
  }
}

async function listen(
  app: INestApplication,
  { beforeListening }: { beforeListening?: (app: INestApplication) => void },
) {
  try {
    beforeListening?.(app);
    await app.listen(0, '127.0.0.1');
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

let users = 0;

function actions(url: string): Pick<RunningService, 'request' | 'aPet' | 'aUser' | 'logIn'> {
  const request: RunningService['request'] = (path, { json, ...init } = {}) =>
    json === undefined
      ? fetch(url + path, init)
      : fetch(url + path, {
          method: 'POST',
          ...init,
          headers: { 'Content-Type': 'application/json', ...(init.headers as Record<string, string>) },
          body: JSON.stringify(json),
        });
  const succeed = async (answer: Response) => {
    if (!answer.ok) {
      throw new Error(`${answer.status} ${await answer.text()}`);
    }
    return answer;
  };
  const aUser: RunningService['aUser'] = async (members = {}) => {
    users += 1;
    const user = { username: `user-${users}`, password: 'correct horse', ...members };
    await succeed(await request('/v2/user/createWithList', { json: [user] }));
    return user;
  };
  return {
    request,
    aUser,
    aPet: async (members = {}) => {
      const answer = await succeed(await request('/v1/pet', { json: { name: 'Rex', ...members } }));
      return (await answer.json()) as never;
    },
    logIn: async (user) => {
      const { username, password } = user ?? (await aUser());
      const answer = await succeed(
        await request(`/v2/user/login?${new URLSearchParams({ username, password }).toString()}`),
      );
      return (await answer.json()) as string;
    },
  };
}
