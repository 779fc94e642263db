// A million log-ins fail, each with a name and an address of its own: what does the service keep of them?
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../dist/app.js';
import { loadConfig } from '../../dist/platform/config/config.js';
import { UnitOfWork } from '../../dist/platform/database/unit-of-work.js';
import { options } from '../lib/options.mjs';
import { LoginThrottle } from '../../dist/user/log-in/login-throttle.js';

const count = options.count ?? 1_000_000;
const AT_ONCE = 100;

const folder = mkdtempSync(join(tmpdir(), 'pet-user-service-bench-'));
const file = join(folder, 'bench.sqlite');
const app = await createApp(loadConfig({ DATABASE_URL: `sqlite:${file}`, LOG_LEVEL: 'silent' }));
const throttle = app.get(LoginThrottle, { strict: false });
const database = app.get(UnitOfWork, { strict: false });

const address = (n) => `2001:db8:${(n >> 16).toString(16)}:${(n & 0xffff).toString(16)}::1`;
const MiB = (bytes) => (bytes / 2 ** 20).toFixed(1);

console.log('attempts      rows  file MiB  RSS MiB  µs/attempt');
let began = performance.now();
for (let done = 0; done < count;) {
  const batch = Array.from({ length: Math.min(AT_ONCE, count - done) }, (_, n) => done + n);
  await Promise.all(batch.map((n) => throttle.admit({ account: `name${n}`, address: address(n) })));
  done += batch.length;
  if (done % (count / 10) < AT_ONCE || done === count) {
    const [{ rows }] = await database.read((manager) =>
      manager.query('SELECT count(*) AS "rows" FROM "login_failures"'),
    );
    const micros = ((performance.now() - began) * 1_000) / (count / 10);
    const { rss } = process.memoryUsage();
    console.log(
      String(done).padStart(8),
      String(rows).padStart(9),
      MiB(statSync(file).size).padStart(9),
      MiB(rss).padStart(8),
      micros.toFixed(0).padStart(11),
    );
    began = performance.now();
  }
}
await app.close();
rmSync(folder, { recursive: true });
