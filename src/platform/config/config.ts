import { databaseAddress } from './database-address';
import {
  choice,
  host,
  integer,
  integerOrOff,
  InvalidConfig,
  publicUrl,
  readSettings,
  safeUrl,
  text,
  type Setting,
} from './settings';

const DOORS = ['open', 'token', 'closed'] as const;
export type Door = (typeof DOORS)[number];

/** The settings that open and close operations, by what `access` of an @Endpoint calls them. */
export const DOOR_SETTINGS = {
  petCreation: 'PET_CREATION',
  petReading: 'PET_READING',
  userCreation: 'USER_CREATION',
} as const;

/** Every variable an operator can set. docs/settings.md is checked against this list. */
export const SETTINGS = {
  HOST: host('127.0.0.1', 'Address to listen on; `0.0.0.0` for all'),
  PORT: integer(3_000, 0, 65_535, 'Port to listen on; 0 takes a free one'),
  PUBLIC_URL: publicUrl(
    'Where clients find the service, as in `https://pets.example/api`; answers have absolute paths when empty',
  ),
  WEB_CONCURRENCY: integer(1, 1, 256, 'Processes on this machine; more than one takes PostgreSQL'),
  DATABASE_URL: databaseAddress(
    'sqlite:data/pet-user-service.sqlite',
    'A SQLite file, as in `sqlite:/var/lib/pets.sqlite`, or `postgres://user:password@host:port/database`',
  ),
  SQLITE_SYNCHRONOUS: choice(['FULL', 'NORMAL'], '`NORMAL` is faster, and may lose the last moments in a power cut'),
  POSTGRES_POOL_SIZE: integer(10, 1, 1_000, 'Most connections of one process to PostgreSQL'),
  POSTGRES_CONNECT_TIMEOUT_MS: integer(2_000, 1, 600_000, 'Longest wait for a connection'),
  POSTGRES_STATEMENT_TIMEOUT_MS: integer(
    10_000,
    2,
    600_000,
    'Longest run of one statement; a lock is waited for half as long',
  ),
  POSTGRES_TLS: choice(
    ['disable', 'require', 'verify-full'],
    'TLS as libpq names it: `require` encrypts, `verify-full` also checks the certificate',
  ),
  POSTGRES_TLS_CA: text('', 'Certificate in PEM of the authority to trust; without it those that Node.js knows'),
  CORS_ORIGINS: origins(
    '',
    'Origins whose pages may call, as in `https://a.example https://b.example`, or `*` for all',
  ),
  HSTS_MAX_AGE_SECONDS: integerOrOff(
    0,
    63_072_000,
    'Every path of this host is served over TLS, and browsers shall ask for it by `https` alone this long',
  ),
  BODY_LIMIT_BYTES: integer(1_048_576, 1_024, 104_857_600, 'Largest request body'),
  PHOTO_LIMIT_BYTES: integer(5_242_880, 1_024, 104_857_600, 'Largest photo, as it is uploaded'),
  BULK_LIMIT: integer(1_000, 1, 10_000, 'Most users in one bulk creation'),
  PET_CREATION: choice(DOORS, 'Who may create pets: `open` to anyone, `token` for bearers of a token, or `closed`'),
  PET_READING: choice(DOORS, 'Who may read pets: `open`, `token` or `closed`'),
  USER_CREATION: choice(DOORS, 'Who may create users: `open`, `token` or `closed`'),
  ARGON2_MEMORY_KIB: integer(19_456, 8, 262_144, 'Memory of one password hash'),
  ARGON2_TIME_COST: integer(2, 1, 16, 'Passes of one password hash'),
  HASH_QUEUE_LIMIT: integer(
    10_000,
    50,
    1_000_000,
    'Most passwords of new users under way, and a fiftieth as many log-ins, half of them from one network',
  ),
  SESSION_MAX_AGE_MINUTES: integer(1_440, 1, 525_600, 'A session ends this long after log-in'),
  SESSION_MAX_IDLE_MINUTES: integer(60, 1, 525_600, 'A session ends when unused this long'),
  SESSIONS_PER_USER: integer(20, 1, 1_000, 'Sessions side by side; the oldest goes'),
  LOGIN_FAILURES_PER_ACCOUNT: integer(5, 1, 1_000_000, 'Failed log-ins before an account has to wait'),
  LOGIN_FAILURES_PER_ADDRESS: integer(50, 1, 1_000_000, 'Failed log-ins before an address has to wait'),
  OAUTH_ISSUER: safeUrl('Issuer elsewhere whose JWT access tokens are taken beside our own; none when empty'),
  OAUTH_AUDIENCE: text('', 'What those tokens must be issued for; required with an issuer'),
  OAUTH_SCOPE: scopes('Scopes those tokens must have, separated by spaces; any when empty'),
  OAUTH_JWKS_URL: safeUrl("Where the issuer's keys are; found in its metadata when empty"),
  IDEMPOTENCY_MAX_AGE_HOURS: integer(24, 1, 720, 'An answer is kept this long for repeats under its Idempotency-Key'),
  TRUSTED_PROXIES: integer(0, 0, 10, 'Proxies in front whose `X-Forwarded-*` headers are believed'),
  MAX_CONNECTIONS: integer(
    4_096,
    1,
    1_000_000,
    'Most connections; when all are taken, one without a request gives way',
  ),
  REQUEST_TIMEOUT_MS: integer(
    60_000,
    100,
    3_600_000,
    'A client has this long to send a request, a sixth of it for the head, and half of it to read some of the answer',
  ),
  KEEP_ALIVE_TIMEOUT_MS: integer(5_000, 0, 3_600_000, 'An idle connection ends; longer than in a proxy in front'),
  OPERATION_LIMIT: integer(
    256,
    1,
    100_000,
    'Most requests of one network that an operation works on at a time; four times as many writes wait for the database',
  ),
  DRAIN_MS: integer(
    500,
    0,
    600_000,
    'Time from SIGTERM on in which balancers notice; connections are accepted meanwhile',
  ),
  SHUTDOWN_DEADLINE_MS: integer(25_000, 100, 3_600_000, 'Time from SIGTERM on, after which open requests are cut'),
  METRICS_PORT: integerOrOff(0, 65_535, 'Port for `/metrics` of Prometheus; 0 takes a free one'),
  METRICS_HOST: host('127.0.0.1', 'Address for `/metrics`'),
  LOG_FORMAT: choice(
    ['auto', 'json', 'pretty'],
    '`json` or `pretty` everywhere; `auto` is `pretty` in a terminal and `json` elsewhere',
  ),
  LOG_LEVEL: choice(
    ['info', 'debug', 'warn', 'error', 'silent'],
    'The least important lines to log: `debug`, `info`, `warn`, `error` or `silent`',
  ),
};

export interface SqliteConfig {
  type: 'sqlite';
  /** Absolute path. */
  file: string;
  /** PRAGMA synchronous: FULL survives a power cut, NORMAL may lose the last moments. */
  synchronous: 'FULL' | 'NORMAL';
  /** Writes that may wait. */
  queueLimit: number;
}

export interface PostgresConfig {
  type: 'postgres';
  url: string;
  poolSize: number;
  timeoutsMs: { connect: number; statement: number; lock: number; idleInTransaction: number };
  tls: { mode: 'disable' | 'require' | 'verify-full'; ca: string };
  /** Writes that may wait. */
  queueLimit: number;
}

/** Settings of earlier releases, and what became of what they set. */
export const RETIRED_SETTINGS: Record<string, string> = {
  POSTGRES_REPLICA_URLS: 'every read goes to the primary now',
};

/** The settings as the program takes them. Handed on by the app, never read from the environment elsewhere. */
export abstract class Config {
  abstract readonly host: string;
  abstract readonly port: number;
  /** What addresses in answers begin with; empty, and they are absolute paths. */
  abstract readonly publicUrl: string;
  /** Processes that serve on this machine. */
  abstract readonly processes: number;
  abstract readonly database: SqliteConfig | PostgresConfig;
  /** Origins whose pages may call the service; none, and CORS is off. */
  abstract readonly corsOrigins: string[];
  /** Strict-Transport-Security on every answer; undefined where TLS is not ours to promise. */
  abstract readonly hstsSeconds?: number;
  /** Bytes of a request body. */
  abstract readonly bodyLimit: number;
  /** Bytes of a photo. */
  abstract readonly photoLimit: number;
  /** Users in one bulk creation. */
  abstract readonly bulkLimit: number;
  abstract readonly argon2: { memoryKiB: number; timeCost: number; parallelism: number };
  /** Log-ins, and passwords of bulk creations, that may wait for their turn. */
  abstract readonly hashQueue: { logIns: number; bulk: number };
  abstract readonly session: { maxAgeMs: number; maxIdleMs: number; perUser: number };
  /** Failed log-ins that an account and an address have before they must wait. */
  abstract readonly loginFailures: { perAccount: number; perAddress: number };
  /** Answers are kept this long for repeats. */
  abstract readonly idempotencyMaxAgeMs: number;
  /** An issuer elsewhere whose access tokens are taken, what for, and with which scopes. */
  abstract readonly oauth: { issuer: string; audience: string; scopes: string[]; jwksUrl: URL | undefined } | null;
  abstract readonly doors: Record<keyof typeof DOOR_SETTINGS, Door>;
  /** Number of proxies whose X-Forwarded-* headers are believed. */
  abstract readonly trustedProxies: number;
  abstract readonly connections: {
    max: number;
    headersTimeoutMs: number;
    requestTimeoutMs: number;
    writeTimeoutMs: number;
    keepAliveTimeoutMs: number;
  };
  /** Requests that one operation works on at a time. */
  abstract readonly operationLimit: number;
  abstract readonly shutdown: { drainMs: number; deadlineMs: number };
  /** Where Prometheus asks; undefined where nobody shall. */
  abstract readonly metrics?: { host: string; port: number };
  abstract readonly logFormat: 'json' | 'pretty';
  abstract readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

/** Throws InvalidConfig. */
export function loadConfig(env: Record<string, string | undefined>): Config {
  const values = readSettings(SETTINGS, env);
  if (values.OAUTH_ISSUER !== undefined && values.OAUTH_AUDIENCE === '') {
    throw new InvalidConfig(['OAUTH_AUDIENCE must be given with OAUTH_ISSUER']);
  }
  if (values.WEB_CONCURRENCY > 1 && values.DATABASE_URL.type === 'sqlite') {
    throw new InvalidConfig(['WEB_CONCURRENCY must be 1 with SQLite, whose file belongs to one process']);
  }
  return {
    host: values.HOST,
    port: values.PORT,
    publicUrl: values.PUBLIC_URL,
    processes: values.WEB_CONCURRENCY,
    database: databaseConfig(values),
    corsOrigins: values.CORS_ORIGINS,
    hstsSeconds: values.HSTS_MAX_AGE_SECONDS,
    bodyLimit: values.BODY_LIMIT_BYTES,
    photoLimit: values.PHOTO_LIMIT_BYTES,
    bulkLimit: values.BULK_LIMIT,
    argon2: {
      memoryKiB: values.ARGON2_MEMORY_KIB,
      timeCost: values.ARGON2_TIME_COST,
      parallelism: 1,
    },
    hashQueue: { logIns: Math.floor(values.HASH_QUEUE_LIMIT / 50), bulk: values.HASH_QUEUE_LIMIT },
    session: {
      maxAgeMs: values.SESSION_MAX_AGE_MINUTES * 60_000,
      maxIdleMs: values.SESSION_MAX_IDLE_MINUTES * 60_000,
      perUser: values.SESSIONS_PER_USER,
    },
    loginFailures: { perAccount: values.LOGIN_FAILURES_PER_ACCOUNT, perAddress: values.LOGIN_FAILURES_PER_ADDRESS },
    idempotencyMaxAgeMs: values.IDEMPOTENCY_MAX_AGE_HOURS * 3_600_000,
    oauth:
      values.OAUTH_ISSUER === undefined
        ? null
        : {
            issuer: values.OAUTH_ISSUER,
            audience: values.OAUTH_AUDIENCE,
            scopes: values.OAUTH_SCOPE,
            jwksUrl: values.OAUTH_JWKS_URL === undefined ? undefined : new URL(values.OAUTH_JWKS_URL),
          },
    doors: {
      petCreation: values[DOOR_SETTINGS.petCreation],
      petReading: values[DOOR_SETTINGS.petReading],
      userCreation: values[DOOR_SETTINGS.userCreation],
    },
    trustedProxies: values.TRUSTED_PROXIES,
    connections: {
      max: values.MAX_CONNECTIONS,
      headersTimeoutMs: Math.ceil(values.REQUEST_TIMEOUT_MS / 6),
      requestTimeoutMs: values.REQUEST_TIMEOUT_MS,
      writeTimeoutMs: Math.ceil(values.REQUEST_TIMEOUT_MS / 2),
      keepAliveTimeoutMs: values.KEEP_ALIVE_TIMEOUT_MS,
    },
    operationLimit: values.OPERATION_LIMIT,
    shutdown: { drainMs: values.DRAIN_MS, deadlineMs: values.SHUTDOWN_DEADLINE_MS },
    metrics: values.METRICS_PORT === undefined ? undefined : { host: values.METRICS_HOST, port: values.METRICS_PORT },
    logLevel: values.LOG_LEVEL,
    logFormat: values.LOG_FORMAT !== 'auto' ? values.LOG_FORMAT : process.stdout.isTTY ? 'pretty' : 'json',
  };
}

/** RFC 6749, appendix A.4. */
function scopes(meaning: string): Setting<string[]> {
  const read = (value: string) => {
    const tokens = value.split(' ').filter((token) => token !== '');
    if (!tokens.every((token) => /^[!#-[\]-~]+$/.test(token))) {
      throw new Error('scopes as OAuth 2.0 spells them');
    }
    return tokens;
  };
  return { default: '', meaning, read };
}

function databaseConfig(values: ReturnType<typeof readSettings<typeof SETTINGS>>): SqliteConfig | PostgresConfig {
  const queueLimit = 4 * values.OPERATION_LIMIT;
  if (values.DATABASE_URL.type === 'sqlite') {
    return { ...values.DATABASE_URL, synchronous: values.SQLITE_SYNCHRONOUS, queueLimit };
  }
  return {
    ...values.DATABASE_URL,
    queueLimit,
    poolSize: values.POSTGRES_POOL_SIZE,
    timeoutsMs: {
      connect: values.POSTGRES_CONNECT_TIMEOUT_MS,
      statement: values.POSTGRES_STATEMENT_TIMEOUT_MS,
      lock: Math.floor(values.POSTGRES_STATEMENT_TIMEOUT_MS / 2),
      idleInTransaction: 10_000,
    },
    tls: { mode: values.POSTGRES_TLS, ca: values.POSTGRES_TLS_CA },
  };
}

function origins(defaultText: string, meaning: string): Setting<string[]> {
  const read = (value: string) => {
    const given = value.split(/[\s,]+/).filter((origin) => origin !== '');
    if (given.some((origin) => origin !== '*' && !isOrigin(origin))) {
      throw new Error('origins such as https://a.example, with spaces between them, or * alone (no *.a.example)');
    }
    return given;
  };
  return { default: defaultText, meaning, read };
}

const isOrigin = (text: string) => /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
