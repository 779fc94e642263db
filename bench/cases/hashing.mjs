// Log-ins, and users created with passwords, against argon2 alone on the same cores, in turn.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { call, http, load } from '../lib/load.mjs';
import { options } from '../lib/options.mjs';
import { median } from '../lib/paired.mjs';
import { keep } from '../lib/results.mjs';
import { cpuMsOf, onCores, prepare, startServer } from '../lib/servers.mjs';

const { rounds = 7, ms = 3_000 } = options;
const USERS = 32;
const BULK = 100;
const CONNECTIONS = 8;
/** Until then V8 compiles, on threads of its own, on the cores that are to hash. */
const WARM_UP = 1_500;

/** As many threads as the service would have there. */
function startArgon2(cores) {
  const count = cores.split(',').length;
  const [command, ...args] = onCores(cores, [join(import.meta.dirname, '../peers/argon2.mjs')]);
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, UV_THREADPOOL_SIZE: String(count + 3) },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  return {
    stop: () => child.kill(),
    rate: async (kind, limit) => {
      const cpu = cpuMsOf(child.pid);
      child.stdin.write(`${kind} ${ms * 10} ${count} ${limit}\n`);
      const [line] = await once(lines, 'line');
      return { rate: Number(line), cpuMs: (cpuMsOf(child.pid) - cpu) / limit };
    },
  };
}

prepare([]);
for (const [where, cores] of [
  ['one core', '0'],
  ['two cores', '0,1'],
]) {
  const server = await startServer('product', { cores });
  const argon2 = startArgon2(cores);
  const users = Array.from({ length: USERS }, (_, n) => ({ username: `user-${n}`, password: 'right' }));
  await call(server.port, http('POST', '/v2/user/createWithList', { body: users }));

  const logIns = async (limit) => {
    const cpu = server.cpuMs();
    const { done, ms: took } = await load({
      port: server.port,
      connections: CONNECTIONS,
      ...limit,
      status: 200,
      requestOf: (c, n) => http('GET', `/v2/user/login?username=user-${(c + n * CONNECTIONS) % USERS}&password=right`),
    });
    return { rate: (done * 1_000) / took, cpuMs: (server.cpuMs() - cpu) / done };
  };
  let bulks = 0;
  const bulk = async () => {
    const prefix = `bulk-${bulks++}`;
    const body = Array.from({ length: BULK }, (_, n) => ({ username: `${prefix}-${n}`, password: 'right' }));
    const text = http('POST', '/v2/user/createWithList', { body });
    const { ms: took } = await load({
      port: server.port,
      connections: 1,
      count: 1,
      status: 200,
      requestOf: () => text,
    });
    return (BULK * 1_000) / took;
  };
  await logIns({ count: WARM_UP });
  const expected = Math.ceil((await argon2.rate('verify', 50)).rate * (ms / 1_000));
  const measured = [];
  for (let round = 0; round < rounds; round++) {
    const [logIn, verified] = [await logIns({ ms }), await argon2.rate('verify', expected)];
    measured.push({
      logIns: logIn.rate,
      verified: verified.rate,
      created: await bulk(),
      hashed: (await argon2.rate('hash', BULK)).rate,
      cpuMsBeyond: logIn.cpuMs - verified.cpuMs,
    });
  }
  argon2.stop();
  await server.stop();
  const ratio = (a, b) => median(measured.map((round) => round[a] / round[b])).toFixed(3);
  const beyond = median(measured.map(({ cpuMsBeyond }) => cpuMsBeyond)).toFixed(1);
  console.log(
    `${where}: log-ins ÷ argon2 ${ratio('logIns', 'verified')} (${beyond} ms of CPU more), ` +
      `bulk ÷ argon2 ${ratio('created', 'hashed')}`,
  );
  keep('hashing', { rounds, ms }, { [where]: measured });
}
