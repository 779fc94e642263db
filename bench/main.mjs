// npm run bench: measures, keeps the raw rounds in bench/results, and writes the tables and the plot of
// docs/performance.md anew. Without the name of a case: all that compare requests.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { cases } from './cases/index.mjs';
import { requestCases } from './cases/requests.mjs';
import { names, options, USAGE } from './lib/options.mjs';
import { measure } from './lib/paired.mjs';
import { keep } from './lib/results.mjs';
import { leaveServerCore } from './lib/servers.mjs';
import { report } from './report.mjs';

const unknown = names.find((name) => !requestCases[name] && !cases[name]);

if (options.help || unknown) {
  console.log(`${unknown ? `There is no case ${unknown}.\n\n` : ''}${USAGE}`);
  for (const [name, { about }] of Object.entries({ ...requestCases, ...cases })) {
    console.log(`  ${name.padEnd(18)} ${about}`);
  }
  process.exitCode = unknown ? 2 : 0;
} else if (options.ci) {
  const { status } = spawnSync(process.execPath, ['--test', join(import.meta.dirname, 'ci.test.mjs')], {
    stdio: 'inherit',
    env: { ...process.env, ...(options.record ? { BENCH_RECORD: '1' } : {}) },
  });
  process.exitCode = status ?? 1;
} else if (options.report) {
  await report();
} else {
  // Scripts of their own may use the whole machine; in pairs, whoever asks keeps off the core of whoever answers.
  for (const name of names.length > 0 ? names : Object.keys(requestCases)) {
    if (requestCases[name]) {
      leaveServerCore();
      const results = await measure(name, requestCases[name], options);
      if (!options.peers?.some((peer) => peer.includes('/'))) {
        keep(name, options, results);
      }
    } else {
      await cases[name].run();
    }
  }
  await report();
}
