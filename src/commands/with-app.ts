import type { INestApplicationContext } from '@nestjs/common';
import { createApp } from '../app';
import type { Config } from '../platform/config';
import { openReader, type Reader } from '../platform/database';
import { entities } from '../entities';

/** Works with the service's own modules; where the database is a SQLite file, no server may have it open. */
export async function withApp<T>(config: Config, work: (app: INestApplicationContext) => Promise<T>): Promise<T> {
  const app = await createApp({ ...config, logLevel: 'silent' });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

/** Reads beside whatever serves. */
export async function withReader<T>(config: Config, work: (reader: Reader) => Promise<T>): Promise<T> {
  const reader = await openReader(config, entities);
  try {
    return await work(reader);
  } finally {
    await reader.onApplicationShutdown();
  }
}
