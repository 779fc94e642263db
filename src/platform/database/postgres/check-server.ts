import type { PostgresConfig } from '../../config';
import { DatabaseUnusable } from '../database-unusable';
import { isRefusedParameter } from './postgres-errors';
import { connectionConfig, type ServerTraits } from './postgres.options';
import { ServiceClient } from './service-client';

/** Throws DatabaseUnusable when the service could not keep its promises there. */
export async function checkServer(config: PostgresConfig): Promise<ServerTraits> {
  try {
    await checkWith(config, { takesTimeouts: true });
    return { takesTimeouts: true };
  } catch (error) {
    if (!isRefusedParameter(error)) {
      throw error;
    }
    await checkWith(config, { takesTimeouts: false });
    return { takesTimeouts: false };
  }
}

async function checkWith(config: PostgresConfig, traits: ServerTraits): Promise<void> {
  const client = new ServiceClient(connectionConfig(config, config.url, traits));
  try {
    await client.connect();
    const { rows } = await client.query<{ encoding: string }>(
      `SELECT current_setting('server_encoding') AS "encoding"`,
    );
    const { encoding } = rows[0]!;
    if (encoding !== 'UTF8') {
      throw new DatabaseUnusable(
        `The database stores text as ${encoding}; it must be UTF8: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0.`,
      );
    }
  } finally {
    void client.end();
  }
}
