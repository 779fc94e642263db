import { Logger } from '@nestjs/common';
import { TypeOverrides, types, type ClientConfig } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import type { PostgresConfig } from '../../config';
import { parseInt64 } from '../int64';
import { schema, type Entities } from '../schema';
import { addressParts } from './address';
import { ServiceClient } from './service-client';

/** How the pool of the primary is opened. */
export function postgresOptions(config: PostgresConfig, entities: Entities): DataSourceOptions {
  return {
    ...schema(entities),
    type: 'postgres',
    poolSize: config.poolSize,
    poolErrorHandler: ({ message }: Error) => new Logger('PostgreSQL').warn(`An idle connection ended: ${message}`),
    extra: { ...connectionConfig(config, config.url), Client: ServiceClient },
  };
}

/** How one connection is opened. What is not said here, node-postgres looks for in the environment. */
export function connectionConfig({ timeoutsMs, tls }: PostgresConfig, url: string): ClientConfig {
  return {
    ...addressParts(url),
    ssl: tls.mode !== 'disable' && { rejectUnauthorized: tls.mode === 'verify-full', ca: tls.ca || undefined },
    sslnegotiation: 'postgres',
    client_encoding: 'utf8',
    application_name: 'pet-user-service',
    connectionTimeoutMillis: timeoutsMs.connect,
    statement_timeout: timeoutsMs.statement,
    lock_timeout: timeoutsMs.lock,
    idle_in_transaction_session_timeout: timeoutsMs.idleInTransaction,
    // Last resort, for a server that does not even say that it gives up.
    query_timeout: timeoutsMs.statement && timeoutsMs.statement + timeoutsMs.connect,
    keepAlive: true,
    types: exactIntegers(),
  };
}

function exactIntegers(): TypeOverrides {
  const overrides = new TypeOverrides();
  overrides.setTypeParser(types.builtins.INT8, parseInt64);
  return overrides;
}
