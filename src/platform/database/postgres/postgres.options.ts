import { Logger } from '@nestjs/common';
import { TypeOverrides, types, type Client, type ClientConfig } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import type { PostgresConfig } from '../../config';
import { parseInt64 } from '../int64';
import { schema, type Entities } from '../schema';
import { addressParts } from './address';
import { ServiceClient } from './service-client';
import type { Statement } from './statements';

/** What has to be known of the server, or of the pooler in front of it, before it is used. */
export interface ServerTraits {
  /** Whether it takes the time-outs when a connection is opened; if not, each transaction sets them. */
  takesTimeouts: boolean;
}

const ANY_SERVER: ServerTraits = { takesTimeouts: true };

/** How the pool of the primary is opened. */
export function postgresOptions(config: PostgresConfig, entities: Entities, traits = ANY_SERVER): DataSourceOptions {
  return {
    ...schema(entities),
    type: 'postgres',
    poolSize: config.poolSize,
    poolErrorHandler: ({ message }: Error) => new Logger('PostgreSQL').warn(`An idle connection ended: ${message}`),
    // private: the option Client of Pool, the option verify of Pool
    extra: { ...connectionConfig(config, config.url, traits), Client: ServiceClient, verify: refuseStandby },
  };
}

/**
 * A new connection to a standby is not used for reads either: a primary that became one lags, and may know what its
 * successor lacks. Of one that is open this need not be asked, for PostgreSQL ends it. A primary that takes no writes
 * (default_transaction_read_only) is still one to read from.
 */
function refuseStandby(client: Client, done: (error?: Error) => void): void {
  client
    .query<{ isStandby: boolean }>('SELECT pg_is_in_recovery() AS "isStandby"')
    .then(({ rows }) => done(rows[0]!.isStandby ? new Error('The server is a standby.') : undefined), done);
}

/** How one connection is opened. What is not said here, node-postgres looks for in the environment. */
export function connectionConfig({ timeoutsMs, tls }: PostgresConfig, url: string, traits: ServerTraits): ClientConfig {
  return {
    ...addressParts(url),
    ssl: tls.mode !== 'disable' && { rejectUnauthorized: tls.mode === 'verify-full', ca: tls.ca || undefined },
    sslnegotiation: 'postgres',
    client_encoding: 'utf8',
    application_name: 'pet-user-service',
    connectionTimeoutMillis: timeoutsMs.connect,
    ...(traits.takesTimeouts ? timeouts(timeoutsMs) : {}),
    // Last resort, for a server that does not even say that it gives up.
    query_timeout: timeoutsMs.statement && timeoutsMs.statement + timeoutsMs.connect,
    keepAlive: true,
    types: exactIntegers(),
  };
}

/** What each transaction sets where connections cannot be opened with it. */
export const timeoutsOfTransaction = ({ timeoutsMs }: PostgresConfig): Statement => ({
  sql: `SELECT ${Object.entries(timeouts(timeoutsMs))
    .map(([name, ms]) => `set_config('${name}', '${ms}', true)`)
    .join()}`,
});

const timeouts = ({ statement, lock, idleInTransaction }: PostgresConfig['timeoutsMs']) => ({
  statement_timeout: statement,
  lock_timeout: lock,
  idle_in_transaction_session_timeout: idleInTransaction,
});

function exactIntegers(): TypeOverrides {
  const overrides = new TypeOverrides();
  overrides.setTypeParser(types.builtins.INT8, parseInt64);
  return overrides;
}
