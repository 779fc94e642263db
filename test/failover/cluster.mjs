import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { DATABASE_URL, etcdConfig, haproxyConfig } from './config.mjs';
import { Node } from './node.mjs';
import { run, startProgram, until } from './programs.mjs';

/** Three nodes, the etcd in which they agree who is the primary, and the balancer that follows them. */
export class Cluster {
  constructor(folder) {
    this.folder = folder;
    this.nodes = [1, 2, 3].map((number) => new Node(number, folder));
  }

  async start() {
    this.startFromFile('etcd', etcdConfig(this.folder), '--config-file');
    await until('etcd answers', 10, async () => (await fetch('http://127.0.0.21:2379/health')).ok);
    this.nodes.forEach((node) => node.start());
    await this.health();
    await this.balance(true);
    await until('the balancer finds the primary', 10, () => this.query('CREATE DATABASE pets', '').then(() => true));
  }

  /** Starts the balancer, in the place of the one that runs. */
  async balance(shutdownSessions, slowChecks = false) {
    this.haproxy?.kill('SIGKILL');
    this.haproxy = this.startFromFile('haproxy', haproxyConfig(shutdownSessions, slowChecks), '-db', '-f');
    await until('the balancer finds the primary', 15, () => this.query('SELECT 1', '').then(() => true));
  }

  /** The primary, and the synchronous standby that would follow it, once all nodes tell the same healthy story. */
  health() {
    return until('three healthy nodes', 60, async () => {
      const stories = await Promise.all(this.nodes.map((node) => node.tell()));
      if (stories.every(isHealthy) && new Set(stories.map((members) => find(members, 'leader'))).size === 1) {
        const node = (role) => this.nodes.find(({ name }) => name === find(stories[0], role));
        return { primary: node('leader'), heir: node('sync_standby') };
      }
    });
  }

  /** When one of the others took the place of the primary, and when it could commit, as performance.now() counts. */
  async promotion(primary, seconds) {
    const end = AbortSignal.timeout(seconds * 1_000);
    const others = this.nodes.filter((node) => node !== primary);
    const found = new AbortController();
    const signal = AbortSignal.any([end, found.signal]);
    const promotion = await Promise.race(others.map((node) => node.promotion(signal)));
    found.abort();
    if (promotion === undefined) {
      throw new Error(`No node became the primary within ${seconds} s.`);
    }
    return promotion;
  }

  switchOver(primary, heir) {
    const nodes = ['--leader', primary.name, '--candidate', heir.name];
    return run('timeout', ['20', 'patronictl', '-c', primary.config, 'switchover', 'pets', '--force', ...nodes]);
  }

  async query(sql, database = 'pets') {
    const client = new pg.Client(`${DATABASE_URL}/${database || 'postgres'}`);
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query(sql)).rows;
    } finally {
      client.end().catch(() => undefined);
    }
  }

  startFromFile(program, config, ...options) {
    const file = join(this.folder, `${program}.config`);
    writeFileSync(file, config);
    return startProgram(program, [...options, file], join(this.folder, `${program}.log`));
  }
}

const find = (members, role) => members.find((member) => member.role === role)?.name;

const isHealthy = (members) =>
  members.length === 3 &&
  members.every(({ state }) => state === 'running' || state === 'streaming') &&
  new Set(members.map(({ timeline }) => timeline)).size === 1 &&
  find(members, 'sync_standby') !== undefined;
