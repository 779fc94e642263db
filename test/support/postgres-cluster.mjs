import { execFile, execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A PostgreSQL server of the test's own, to be treated badly. */
export class PostgresCluster {
  folder = mkdtempSync(join(tmpdir(), 'pet-user-service-cluster-'));

  /** Whether PostgreSQL's own programs are installed here. */
  static isPossible() {
    return binaries() !== '';
  }

  port = 0;

  static async start() {
    const cluster = new PostgresCluster();
    cluster.port = await freePort();
    if (account) {
      chownSync(cluster.folder, account.uid, account.gid);
    }
    await run('initdb', ['-D', cluster.data, '-U', 'postgres', '--auth=trust', '--encoding=UTF8']);
    await cluster.control('start');
    return cluster;
  }

  get data() {
    return join(this.folder, 'data');
  }

  get url() {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  /** Like a power cut: nothing is flushed, and the log is replayed at the start. */
  restartAtOnce() {
    return this.control('restart');
  }

  async stop() {
    await this.control('stop');
    rmSync(this.folder, { recursive: true });
  }

  control(action) {
    const options = `-p ${this.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=''`;
    return run('pg_ctl', [
      '-D',
      this.data,
      '-m',
      'immediate',
      '-w',
      '-l',
      join(this.folder, 'log'),
      '-o',
      options,
      action,
    ]);
  }
}

/** PostgreSQL refuses to run as root. */
const account = process.getuid() === 0 ? idOf('postgres') : undefined;

function idOf(name) {
  const id = (flag) => Number(execFileSync('id', [flag, name]));
  return { uid: id('-u'), gid: id('-g') };
}

function run(program, args) {
  return promisify(execFile)(join(binaries(), program), args, { ...account, cwd: tmpdir() });
}

/** Debian keeps the programs of each version in a folder of its own, outside the path. */
export function binaries() {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(a) - Number(b)) : [];
  const folders = [...process.env.PATH.split(':'), ...versions.map((version) => join(debian, version, 'bin'))];
  return folders.findLast((folder) => existsSync(join(folder, 'initdb'))) ?? '';
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}
