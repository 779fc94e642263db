import { userInfo } from 'node:os';
import type { ClientConfig } from 'pg';

/**
 * The parts of `postgres://user:password@host:port/database`, every one of them said outright: what is left open,
 * node-postgres takes from the environment (PGHOST, PGPORT, PGPASSWORD …) or from ~/.pgpass, which are other programs'.
 */
export function addressParts(url: string) {
  const { username, password, hostname, port, pathname } = new URL(url);
  return {
    user: decoded(username) || userInfo().username,
    password: decoded(password) || noPassword,
    // An IPv6 address in brackets, or the folder of a socket with its slashes escaped.
    host: decoded(hostname.replace(/^\[(.+)\]$/, '$1')),
    port: Number(port || 5432),
    database: decoded(pathname.slice(1)),
  } satisfies ClientConfig;
}

function noPassword(): never {
  throw new Error('The server asks for a password, and the address has none.');
}

/** A percent sign that escapes nothing stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
