import { InvalidConfig, readSettings, type ValuesOf } from './setting';
import { SETTINGS } from './settings';

type SettingValues = ValuesOf<typeof SETTINGS>;

export interface SqliteConfig {
  type: 'sqlite';
  /** Absolute path. */
  file: string;
  /** PRAGMA synchronous: FULL survives a power cut, NORMAL may lose the last moments. */
  synchronous: SettingValues['sqlite']['synchronous'];
  /** Writes that may wait. */
  queueLimit: number;
}

export interface PostgresConfig {
  type: 'postgres';
  url: string;
  poolSize: number;
  timeoutsMs: { connect: number; statement: number; lock: number; idleInTransaction: number };
  tls: SettingValues['postgres']['tls'];
  /** Writes that may wait. */
  queueLimit: number;
}

/** Settings of earlier releases, and what became of what they set. */
export const RETIRED_SETTINGS: Record<string, string> = {
  POSTGRES_REPLICA_URLS: 'every read goes to the primary now',
};

/**
 * The settings as the program takes them: the values of `SETTINGS`, and what follows from them.
 * Handed on by the app, never read from the environment elsewhere.
 */
export abstract class Config extends (Object as unknown as abstract new () => ReturnType<typeof complete>) {}

/** Throws InvalidConfig. */
export function loadConfig(env: Record<string, string | undefined>): Config {
  const given = readSettings(SETTINGS, env);
  if (given.oauth.issuer !== undefined && given.oauth.audience === '') {
    throw new InvalidConfig([`${SETTINGS.oauth.audience.name} must be given with ${SETTINGS.oauth.issuer.name}`]);
  }
  if (given.processes > 1 && given.database.type === 'sqlite') {
    throw new InvalidConfig([`${SETTINGS.processes.name} must be 1 with SQLite, whose file belongs to one process`]);
  }
  return complete(given);
}

function complete({ sqlite, postgres, oauth, hashQueueLimit, metrics, ...given }: SettingValues) {
  const { logFormat, operationLimit } = given;
  return {
    ...given,
    database: databaseConfig(given.database, sqlite, postgres, 4 * operationLimit),
    argon2: { ...given.argon2, parallelism: 1 },
    /** Log-ins, and passwords of bulk creations, that may wait to be hashed. */
    hashQueue: { logIns: Math.floor(hashQueueLimit / 50), bulk: hashQueueLimit },
    /** The issuer elsewhere whose access tokens are taken. */
    oauth: oauth.issuer === undefined ? null : { ...oauth, issuer: oauth.issuer, jwksUrl: urlOf(oauth.jwksUrl) },
    /** Where Prometheus asks; undefined where nobody shall. */
    metrics: metrics.port === undefined ? undefined : { ...metrics, port: metrics.port },
    logFormat: logFormat !== 'auto' ? logFormat : process.stdout.isTTY ? ('pretty' as const) : ('json' as const),
  };
}

const urlOf = (text: string | undefined) => (text === undefined ? undefined : new URL(text));

function databaseConfig(
  address: SettingValues['database'],
  { synchronous }: SettingValues['sqlite'],
  { poolSize, connectMs, statementMs, tls }: SettingValues['postgres'],
  queueLimit: number,
): SqliteConfig | PostgresConfig {
  if (address.type === 'sqlite') {
    return { ...address, synchronous, queueLimit };
  }
  const timeoutsMs = {
    connect: connectMs,
    statement: statementMs,
    lock: Math.floor(statementMs / 2),
    idleInTransaction: 10_000,
  };
  return { ...address, poolSize, timeoutsMs, tls, queueLimit };
}
