import { isAbsolute, resolve } from 'node:path';

export type Door = 'open' | 'token' | 'closed';

/** Everything an operator can set. Handed on by the app, never read from the environment elsewhere. */
export abstract class Config {
  abstract readonly host: string;
  abstract readonly port: number;
  /** Absolute path of the SQLite file. */
  abstract readonly databaseFile: string;
  /** SQLite's PRAGMA synchronous: FULL survives a power cut, NORMAL may lose the last moments. */
  abstract readonly synchronous: 'FULL' | 'NORMAL';
  /** Bytes of a request body. */
  abstract readonly bodyLimit: number;
  /** Users in one bulk creation. */
  abstract readonly bulkLimit: number;
  abstract readonly argon2: { memoryKiB: number; timeCost: number; parallelism: number };
  abstract readonly session: { maxAgeMs: number; maxIdleMs: number; perUser: number };
  /** Failed log-ins that an account and an address have before they must wait. */
  abstract readonly loginFailures: { perAccount: number; perAddress: number };
  abstract readonly doors: { petCreation: Door; userCreation: Door };
  /** Number of proxies whose X-Forwarded-* headers are believed. */
  abstract readonly trustedProxies: number;
  abstract readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

export class InvalidConfig extends Error {}

/** Reads the settings; throws InvalidConfig that names every bad variable at once and shows no value. */
export function loadConfig(env: Record<string, string | undefined>): Config {
  const bad: string[] = [];

  const integer = (name: string, standard: number, min: number, max: number): number => {
    const text = env[name] ?? String(standard);
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) {
      bad.push(`${name} must be an integer from ${min} to ${max}`);
    }
    return value;
  };

  const choice = <T extends string>(name: string, standard: T, ...others: T[]): T => {
    const choices = [standard, ...others];
    const value = choices.find((known) => known === (env[name] ?? standard));
    if (value === undefined) {
      bad.push(`${name} must be one of ${choices.join(', ')}`);
    }
    return value ?? standard;
  };

  const sqliteFile = (name: string, standard: string): string => {
    const path = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(env[name] ?? standard)?.[1];
    if (path === undefined || path.startsWith(':')) {
      bad.push(`${name} must be sqlite: and the path of a file`);
    }
    return isAbsolute(path ?? '') ? path! : resolve(path ?? '');
  };

  const config: Config = {
    host: env.HOST ?? '127.0.0.1',
    port: integer('PORT', 3000, 0, 65535),
    databaseFile: sqliteFile('DATABASE_URL', 'sqlite:data/pet-user-service.sqlite'),
    synchronous: choice('SQLITE_SYNCHRONOUS', 'FULL', 'NORMAL'),
    bodyLimit: integer('BODY_LIMIT_BYTES', 1_048_576, 1_024, 104_857_600),
    bulkLimit: integer('BULK_LIMIT', 1_000, 1, 10_000),
    argon2: {
      memoryKiB: integer('ARGON2_MEMORY_KIB', 19_456, 8, 1_048_576),
      timeCost: integer('ARGON2_TIME_COST', 2, 1, 100),
      parallelism: integer('ARGON2_PARALLELISM', 1, 1, 16),
    },
    session: {
      maxAgeMs: integer('SESSION_MAX_AGE_MINUTES', 1_440, 1, 525_600) * 60_000,
      maxIdleMs: integer('SESSION_MAX_IDLE_MINUTES', 60, 1, 525_600) * 60_000,
      perUser: integer('SESSIONS_PER_USER', 20, 1, 1_000),
    },
    loginFailures: {
      perAccount: integer('LOGIN_FAILURES_PER_ACCOUNT', 5, 1, 1_000_000),
      perAddress: integer('LOGIN_FAILURES_PER_ADDRESS', 50, 1, 1_000_000),
    },
    doors: {
      petCreation: choice<Door>('PET_CREATION', 'open', 'token'),
      userCreation: choice<Door>('USER_CREATION', 'open', 'token', 'closed'),
    },
    trustedProxies: integer('TRUSTED_PROXIES', 0, 0, 10),
    logLevel: choice('LOG_LEVEL', 'info', 'debug', 'warn', 'error', 'silent'),
  };
  if (bad.length > 0) {
    throw new InvalidConfig(`The configuration is invalid:\n  ${bad.join('\n  ')}`);
  }
  return config;
}
