import { resolve } from 'node:path';
import type { SettingKind } from './setting';

type Address = { type: 'sqlite'; file: string } | { type: 'postgres'; url: string };

/** The address of a SQLite file or of a PostgreSQL database. */
export function databaseAddress(defaultText: string): SettingKind<Address> {
  const read = (url: string): Address => {
    if (/^postgres(ql)?:/.test(url)) {
      return { type: 'postgres', url: postgresUrl(url) };
    }
    // A host (sqlite://name), a home (~) and parameters would become part of the file's name.
    const path = /^sqlite:(?:\/\/(?=\/))?((?!:|\/\/|~)[^?]+)$/.exec(url)?.[1];
    if (path === undefined) {
      throw new Error(
        'the path of a file, as in sqlite:pets.sqlite or sqlite:/var/lib/pets.sqlite, without ~ or parameters; ' +
          'or postgres: and the address of a database',
      );
    }
    return { type: 'sqlite', file: resolve(path) };
  };
  return { default: defaultText, read };
}

/** Parameters of the URL could override other settings. */
function postgresUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPostgres = /^postgres(ql)?:$/.test(url?.protocol ?? '');
  if (!url || !isPostgres || url.hostname === '' || url.pathname.length < 2 || url.search !== '') {
    throw new Error('postgres://user:password@host:port/database, without parameters');
  }
  return text;
}
