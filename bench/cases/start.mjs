// From the start of the process to its first answer, and the memory it has then.
import { median } from '../lib/paired.mjs';
import { keep } from '../lib/results.mjs';
import { options } from '../lib/options.mjs';
import { prepare, SERVERS, startServer, subject } from '../lib/servers.mjs';

const { rounds = 9, peers = ['fastify-drizzle', 'express', 'previous'] } = options;
const names = ['product', ...peers];

prepare(names);
const measured = Object.fromEntries(names.map((name) => [name, []]));
for (let round = 0; round < rounds; round++) {
  for (const name of names) {
    const server = await startServer(name);
    measured[name].push({ ms: server.startMs, cpuMs: server.cpuMs(), rssMiB: server.rssMiB() });
    await server.stop();
  }
}
for (const [name, starts] of Object.entries(measured)) {
  const of = (measure) => Math.round(median(starts.map((start) => start[measure])));
  console.log(`${subject(name).label}: first answer after ${of('ms')} ms (CPU ${of('cpuMs')} ms), ${of('rssMiB')} MiB`);
}
// Another build, which was named by its folder, is for this run alone.
keep('start', { rounds }, Object.fromEntries(Object.entries(measured).filter(([name]) => name in SERVERS)));
