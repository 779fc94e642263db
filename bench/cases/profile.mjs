// Where the CPU of a request goes, by layer: V8's profiler, while a case runs.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from '../lib/load.mjs';
import { options } from '../lib/options.mjs';
import { keep } from '../lib/results.mjs';
import { leaveServerCore, prepare, startServer } from '../lib/servers.mjs';
import { requestCases } from './requests.mjs';

const { count = 20_000 } = options;
const CASES = ['create-64', 'update-64', 'read-pet', 'health'];

/** The first that matches a function's file; of native functions, the file of who calls them. */
const LAYERS = [
  ['SQLite: BEGIN, COMMIT, savepoints', /native .*dist\/platform\/database\/sqlite\/transaction/],
  ['SQLite: statements', /native .*(better-sqlite3|BetterSqlite3|dist\/platform\/database)/],
  ['promise hooks (AsyncLocalStorage)', /node:(internal\/)?async_hooks/],
  ['Node: HTTP, sockets, streams', /node:(_http|net|internal\/(streams|stream_base|http|net)|events|_stream)/],
  ['Node: the rest', /node:/],
  ['Nest', /node_modules\/@nestjs/],
  ['RxJS', /node_modules\/rxjs/],
  ['Express', /node_modules\/(express|router|send|finalhandler|parseurl|encodeurl|etag|fresh|content-type|mime)/],
  ['TypeORM', /node_modules\/typeorm/],
  ['Passport', /node_modules\/passport/],
  ['pino', /node_modules\/(pino|sonic-boom)/],
  ['class-validator, class-transformer', /node_modules\/(class-|validator)/],
  ['other packages', /node_modules/],
  ['ours: $1', /\/dist\/(?:platform\/)?([\w-]+)/],
];

/** Microseconds by layer between two moments of the monotonic clock. */
function summarize(profile, from, to) {
  const parents = new Map();
  profile.nodes.forEach((node) => node.children?.forEach((child) => parents.set(child, node)));
  const layers = new Map(profile.nodes.map((node) => [node.id, layer(node)]));
  const micros = {};
  let at = profile.startTime;
  profile.samples.forEach((id, index) => {
    at += profile.timeDeltas[index];
    const name = layers.get(id);
    if (at >= from && at <= to && name !== undefined) {
      micros[name] = (micros[name] ?? 0) + (profile.timeDeltas[index + 1] ?? 0);
    }
  });
  return micros;

  function layer({ id, callFrame }) {
    const { functionName } = callFrame;
    if (functionName === '(idle)') {
      return undefined;
    }
    if (functionName === '(garbage collector)') {
      return 'garbage collector';
    }
    let caller = parents.get(id);
    while (caller && !caller.callFrame.url) {
      caller = parents.get(caller.id);
    }
    const file = callFrame.url || `native ${caller?.callFrame.url ?? ''}`;
    for (const [name, pattern] of LAYERS) {
      const match = pattern.exec(file);
      if (match) {
        return name.replace('$1', match[1]);
      }
    }
    return 'V8 and libuv';
  }
}

prepare([]);
leaveServerCore();
for (const name of CASES) {
  const benchCase = requestCases[name];
  const folder = mkdtempSync(join(tmpdir(), 'pet-user-service-profile-'));
  const server = await startServer('product', { nodeArguments: ['--cpu-prof', `--cpu-prof-dir=${folder}`] });
  const subject = { server, state: await benchCase.prepare?.(server) };
  const run = () =>
    load({
      port: server.port,
      connections: benchCase.connections,
      count,
      status: benchCase.status,
      requestOf: (connection, n) => benchCase.requestOf(subject, connection, n),
    });
  const now = () => Number(process.hrtime.bigint() / 1_000n);
  await run();
  const from = now();
  await run();
  const to = now();
  await server.stop();
  const [file] = readdirSync(folder);
  const micros = summarize(JSON.parse(readFileSync(join(folder, file), 'utf8')), from, to);
  rmSync(folder, { recursive: true });
  const layers = Object.entries(micros)
    .map(([layer, sum]) => [layer, sum / count])
    .toSorted(([, a], [, b]) => b - a);
  console.log(name, layers.map(([layer, us]) => `\n  ${us.toFixed(1).padStart(6)} µs  ${layer}`).join(''));
  keep('profile', { rounds: 1 }, { [name]: Object.fromEntries(layers) });
}
