// What idleness costs: V8 shrinks the heap of a process that does nothing, and forgets compiled code that is not called,
// so the first requests afterwards may cost more. Beside it, the same without the one and without the other.
import { setTimeout as sleep } from 'node:timers/promises';
import { options } from '../lib/options.mjs';
import { median, run, warmUp } from '../lib/paired.mjs';
import { keep } from '../lib/results.mjs';
import { leaveServerCore, prepare, startServer } from '../lib/servers.mjs';
import { requestCases } from './requests.mjs';

const { rounds = 3, idle = 60 } = options;
const CREATE = requestCases['create-64'];
const VARIANTS = {
  'as it is': [],
  'without memory reducer': ['--no-memory-reducer'],
  'without bytecode flushing': ['--no-flush-bytecode'],
};

/** What a creation costs in the first moments of a load. */
async function beginning(subject) {
  const { server } = subject;
  const [cpuMs, done] = [server.cpuMs(), subject.acknowledged];
  const { cpuUs: first100Ms } = await run(subject, CREATE, 100);
  await run(subject, CREATE, 900);
  const firstSecond = ((server.cpuMs() - cpuMs) * 1_000) / (subject.acknowledged - done);
  await run(subject, CREATE, 1_000);
  const { cpuUs: thirdSecond } = await run(subject, CREATE, 1_000);
  return { first100Ms, firstSecond, thirdSecond };
}

leaveServerCore();
prepare([]);
const measured = Object.fromEntries(Object.keys(VARIANTS).map((variant) => [variant, []]));
for (let round = 0; round < rounds; round++) {
  // They are idle side by side, and busy in turn.
  const services = [];
  for (const [variant, nodeArguments] of Object.entries(VARIANTS)) {
    const server = await startServer('product', { nodeArguments });
    const subject = { server, acknowledged: 0 };
    await warmUp(subject, CREATE);
    const before = await beginning(subject);
    services.push({ variant, subject, before: { ...before, rssMiB: server.rssMiB() } });
  }
  await sleep(idle * 1_000);
  for (const { variant, subject, before } of services) {
    const rssMiB = subject.server.rssMiB();
    const after = await beginning(subject);
    measured[variant].push({ before, after: { ...after, rssMiB } });
    await subject.server.stop();
  }
}
for (const [variant, results] of Object.entries(measured)) {
  const of = (what) =>
    ['before', 'after'].map((when) => Math.round(median(results.map((result) => result[when][what])))).join(' → ');
  console.log(
    `${variant}, after ${idle} s: ${of('first100Ms')} µs a creation in 100 ms, ${of('firstSecond')} µs in the first ` +
      `second, ${of('thirdSecond')} µs in the third; ${of('rssMiB')} MiB`,
  );
}
keep('idle', { rounds }, measured);
