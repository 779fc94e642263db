import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { start } from '../support/built-service.mjs';
import { DATABASE_URL } from './config.mjs';
import { until } from './programs.mjs';

/** A log-in that a crash cuts short counts as a failed one; here they all come from one address. */
const SETTINGS = {
  DATABASE_URL: `${DATABASE_URL}/pets`,
  PORT: '3000',
  TRUSTED_PROXIES: '1',
  ARGON2_MEMORY_KIB: '8',
  ARGON2_TIME_COST: '1',
  SESSIONS_PER_USER: '1000',
  LOGIN_FAILURES_PER_ACCOUNT: '1000000',
  LOGIN_FAILURES_PER_ADDRESS: '1000000',
};

/** Three processes of the built service. The one that is killed is started again; none other may end. */
export class Services {
  all = [];
  unexpected = [];

  async start() {
    this.all = await Promise.all([1, 2, 3].map((number) => this.startOne(`127.0.0.3${number}`)));
  }

  kill(random) {
    const victim = this.all[Math.floor(random() * this.all.length)];
    victim.isVictim = true;
    victim.kill('SIGKILL');
  }

  get logBytes() {
    return this.all.reduce((sum, { log, earlier }) => sum + earlier + log().length, 0);
  }

  /** Whoever was killed is back. */
  whole() {
    return until('three processes of the service', 60, () => this.all.every(({ isVictim }) => !isVictim));
  }

  writeLogs(folder) {
    this.all.forEach(({ log }, index) => writeFileSync(join(folder, `s${index + 1}.log`), log()));
  }

  async startOne(host, earlier = 0) {
    const service = Object.assign(await start({ ...SETTINGS, HOST: host }), { earlier, isVictim: false });
    void service.exited.then(async ({ code, signal }) => {
      if (service.isVictim) {
        this.all[this.all.indexOf(service)] = await this.restart(host, earlier + service.log().length);
      } else {
        this.unexpected.push(`a process of the service ended with ${code ?? signal}`);
      }
    });
    return service;
  }

  /** Without its database a process does not start: a supervisor tries again. */
  async restart(host, earlier) {
    for (;;) {
      try {
        return await this.startOne(host, earlier);
      } catch {
        await sleep(500);
      }
    }
  }
}
