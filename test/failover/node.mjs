import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { patroniConfig, PASSWORD } from './config.mjs';
import { runNow, startProgram } from './programs.mjs';

/** A machine with PostgreSQL and Patroni: an address for both, and one at which it finds etcd. */
export class Node {
  constructor(number, folder) {
    this.name = `n${number}`;
    this.address = `127.0.0.1${number}`;
    this.etcdAddress = `127.0.1.1${number}`;
    this.folder = join(folder, this.name);
    this.config = join(folder, `${this.name}.yml`);
    this.log = join(folder, `${this.name}.log`);
    mkdirSync(this.folder, { mode: 0o700 });
    runNow('chown', ['postgres:postgres', this.folder]);
    writeFileSync(this.config, patroniConfig(this));
  }

  start() {
    this.patroni = startProgram('patroni', [this.config], this.log, true);
  }

  /** To Patroni, PostgreSQL and all its backends. */
  signal(signal) {
    const [postmaster] = readFileSync(join(this.folder, 'data/postmaster.pid'), 'utf8').split('\n');
    for (const pid of [this.patroni.pid, Number(postmaster)]) {
      process.kill(pid, signal === 'SIGKILL' ? 'SIGSTOP' : signal);
    }
    const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ');
    for (const pid of [this.patroni.pid, ...[postmaster, ...children].map(Number)]) {
      try {
        process.kill(pid, signal);
      } catch {
        // It has just ended.
      }
    }
  }

  cut() {
    for (const address of [this.address, this.etcdAddress]) {
      this.drop('INPUT', '-s', address);
      this.drop('INPUT', '-d', address);
    }
  }

  /** From etcd, and from the standbys that want its log; they ask as user postgres. */
  cutFromPeers() {
    this.drop('INPUT', '-s', this.etcdAddress);
    this.drop('INPUT', '-d', this.etcdAddress);
    this.drop('OUTPUT', '-d', this.address, '-p', 'tcp', '--dport', '5432', '-m', 'owner', '--uid-owner', 'postgres');
  }

  mend() {
    runNow('iptables', ['-w', '-F']);
  }

  drop(chain, ...what) {
    runNow('iptables', ['-w', '-A', chain, ...what, '-j', 'DROP']);
  }

  /** The cluster as this node tells it: a woken one tells an old story first. */
  async tell() {
    const answer = await fetch(`http://${this.address}:8008/cluster`, { signal: AbortSignal.timeout(1_000) });
    const { members } = /** @type {any} */ (await answer.json());
    return members;
  }

  /** When it became the primary, and when it could commit, as performance.now() counts. */
  async promotion(signal) {
    while (!signal.aborted) {
      const client = new pg.Client({ ...{ host: this.address, user: 'postgres', password: PASSWORD } });
      client.on('error', () => undefined);
      try {
        await client.connect();
        while (!signal.aborted) {
          const { rows } = await client.query('SELECT pg_is_in_recovery() AS "isStandby"');
          if (!rows[0].isStandby) {
            const promotedAt = performance.now();
            await client.query(`COMMENT ON DATABASE postgres IS 'waits for a synchronous standby'`);
            return { promotedAt, commitsAt: performance.now() };
          }
          await sleep(20);
        }
      } catch {
        await sleep(50);
      } finally {
        client.end().catch(() => undefined);
      }
    }
    return undefined;
  }
}
