import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { binaries } from '../support/postgres-cluster.mjs';

/** The files that docs/failover/ offers to copy are the ones that run here, on addresses of the loopback. */
const read = (name) => onLoopback(readFileSync(resolve(import.meta.dirname, '../../docs/failover', name), 'utf8'));
const onLoopback = (text) => text.replaceAll('10.0.0.0/8', '127.0.0.0/8').replaceAll('10.0.0.', '127.0.0.');

/** Each node has an address of its own to etcd, which can be cut, so Patroni must not look for another one. */
const NODES_OF_ETCD = [1, 2, 3].map((number) => `http://127.0.1.1${number}:2379`);

export const PASSWORD = 'change-me';
export const DATABASE_URL = `postgres://postgres:${PASSWORD}@127.0.0.20:5432`;
export const SERVICE_URL = 'http://127.0.0.20:80';

export function etcdConfig(folder) {
  return replaced(read('etcd.yml'), {
    '/var/lib/etcd/pets': join(folder, 'etcd'),
    'listen-client-urls: http://127.0.0.21:2379': `listen-client-urls: http://127.0.0.21:2379,${NODES_OF_ETCD}`,
  });
}

export function patroniConfig({ name, address, etcdAddress, folder }) {
  return replaced(read('patroni.yml'), {
    'hosts: 127.0.0.21:2379': `hosts: ${etcdAddress}:2379\n  use_proxies: true`,
    'name: n1': `name: ${name}`,
    '127.0.0.11': address,
    '/var/lib/postgresql/pets': folder,
    '/usr/lib/postgresql/15/bin': binaries(),
  });
}

export function haproxyConfig(shutdownSessions, slowChecks) {
  return replaced(read('haproxy.cfg'), {
    ' on-marked-down shutdown-sessions': shutdownSessions ? ' on-marked-down shutdown-sessions' : '',
    'inter 500ms fastinter 250ms fall 2 rise 1': slowChecks
      ? 'inter 3s fall 3 rise 2'
      : 'inter 500ms fastinter 250ms fall 2 rise 1',
  });
}

function replaced(text, replacements) {
  for (const [from, to] of Object.entries(replacements)) {
    if (!text.includes(from)) {
      throw new Error(`docs/failover says ${from} no more.`);
    }
    text = text.replaceAll(from, to);
  }
  return text;
}
