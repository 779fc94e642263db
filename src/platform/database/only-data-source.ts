import { resolve } from 'node:path';
import type { ModulesContainer } from '@nestjs/core';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { DatabaseUnusable } from './database-unusable';

const INSTEAD = 'import TypeOrmModule.forFeature instead, whose repositories are of the service';

/** Throws DatabaseUnusable where a module brings a DataSource in the place of the service's. Nothing is opened yet. */
export function refuseAnother(modules: ModulesContainer, own: unknown): void {
  if ([...modules.values()].some(({ metatype, providers }) => metatype !== own && providers.has(DataSource))) {
    throw new DatabaseUnusable(`TypeOrmModule.forRoot needs a name, since the service has a DataSource: ${INSTEAD}.`);
  }
}

/** Throws DatabaseUnusable where a module has opened the service's database once more: nobody would take turns. */
export function refuseSecond(modules: ModulesContainer, own: DataSource): void {
  for (const { providers } of modules.values()) {
    for (const { instance } of providers.values()) {
      if (instance instanceof DataSource && instance !== own && placeOf(instance.options) === placeOf(own.options)) {
        throw new DatabaseUnusable(`TypeOrmModule.forRoot opens the database of the service once more: ${INSTEAD}.`);
      }
    }
  }
}

interface Place {
  type: string;
  url?: string;
  extra?: object;
  database?: string;
  host?: string;
  port?: number;
}

/** Where a database is, however it is said. */
function placeOf(options: DataSourceOptions): string {
  const { type, url, extra } = options as Place;
  const { database, host, port }: Place = { ...(options as Place), ...extra, ...(url ? partsOf(url) : {}) };
  return type === 'postgres' ? `${host}:${port ?? 5432}/${database}` : resolve(String(database));
}

function partsOf(url: string) {
  const { hostname, port, pathname } = new URL(url);
  return { host: hostname, port: Number(port || 5432), database: pathname.slice(1) };
}
