import { Logger } from '@nestjs/common';
import { TypeOverrides, types } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import type { PostgresConfig } from '../../config';
import { parseInt64 } from '../int64';
import { schema, type Entities } from '../schema';

/** How the pool is opened. */
export function postgresOptions(config: PostgresConfig, entities: Entities): DataSourceOptions {
  const { poolSize, timeoutsMs, tls, ...addresses } = config;
  const ssl = tls.mode !== 'disable' && { rejectUnauthorized: tls.mode === 'verify-full', ca: tls.ca || undefined };
  const [primary, ...replicas] = [addresses.url, ...addresses.replicaUrls].map((url) => ({ url, ssl }));
  return {
    ...schema(entities),
    type: 'postgres',
    ...(replicas.length > 0 ? { replication: { master: primary!, slaves: replicas } } : primary),
    poolSize,
    connectTimeoutMS: timeoutsMs.connect,
    applicationName: 'pet-user-service',
    poolErrorHandler: ({ message }: Error) => new Logger('PostgreSQL').warn(`An idle connection ended: ${message}`),
    extra: {
      statement_timeout: timeoutsMs.statement,
      lock_timeout: timeoutsMs.lock,
      idle_in_transaction_session_timeout: timeoutsMs.idleInTransaction,
      // Last resort, for a server that does not even say that it gives up.
      query_timeout: timeoutsMs.statement + timeoutsMs.connect,
      keepAlive: true,
      types: exactIntegers(),
    },
  };
}

function exactIntegers(): TypeOverrides {
  const overrides = new TypeOverrides();
  overrides.setTypeParser(types.builtins.INT8, parseInt64);
  return overrides;
}
