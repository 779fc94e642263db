// Starts what is measured: each server on a database of its own with the product's tables, alone on the first core.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { request } from 'node:http';
import { setPriority, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ROOT = resolve(import.meta.dirname, '../..');
const PEERS = join(ROOT, 'bench/peers');
const PREVIOUS = '2a89477';
const START_LIMIT_MS = 60_000;
const POLL_MS = 2;

/** A peer, or another build of this service by its folder: what a change is worth shows before it is made. */
export const subject = (name) =>
  SERVERS[name] ?? { label: name, arguments: [join(resolve(name), 'dist/main.js')], ownTables: true };

export const SERVER_CORE = '0';
const GENERATOR_CORE = '1';
/** Before other programs on the machine, where the user may ask for that; `nice` goes on without if not. */
const FIRST = ['-n', '-10'];

/** The command that runs a program on these cores, before other programs. */
export const onCores = (cores, program) => ['nice', ...FIRST, 'taskset', '-c', cores, process.execPath, ...program];

/** Milliseconds of CPU of all threads of a process until now. */
export function cpuMsOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').pop().split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10; // ticks of 10 ms
}

/** Keeps this process, which asks, off the core of the server. */
export function leaveServerCore() {
  execFileSync('taskset', ['-a', '-p', '-c', GENERATOR_CORE, String(process.pid)]);
  try {
    setPriority(-10);
  } catch {
    console.log('Without the right to go before other programs: figures will vary more.');
  }
}

const peer = (label, file, ...nodeArguments) => ({ label, arguments: [...nodeArguments, join(PEERS, file)] });
/** By the name that results are kept under. */
export const SERVERS = {
  product: { label: 'this service', arguments: [join(ROOT, 'dist/main.js')] },
  again: { label: 'this service again (A/A)', arguments: [join(ROOT, 'dist/main.js')] },
  'nest-typeorm': peer('Nest + TypeORM `save`', 'nest-typeorm.ts', '-r', '@swc-node/register'),
  'fastify-drizzle': peer('Fastify + drizzle', 'fastify-drizzle.mjs'),
  express: peer('Express 5 + prepared statements', 'express.mjs'),
  hono: peer('Hono + prepared statements', 'hono.mjs'),
  'node-http': peer('node:http + group commit (the limit)', 'node-http.mjs'),
  'express-bare': peer('bare Express', 'express-bare.mjs'),
  previous: { label: `our release ${PREVIOUS}`, arguments: [join(previousFolder(), 'dist/main.js')], ownTables: true },
};

const folder = mkdtempSync(join(tmpdir(), 'pet-user-service-bench-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => process.exit(1));
}
let files = 0;

/** A new database with the product's tables, as the product's own migrations make them. */
function newDatabase() {
  const template = join(folder, 'template.sqlite');
  if (!existsSync(template)) {
    const env = { PATH: process.env.PATH, DATABASE_URL: `sqlite:${template}`, LOG_LEVEL: 'silent' };
    execFileSync(process.execPath, [...SERVERS.product.arguments, 'migrate'], { env });
  }
  const file = join(folder, `${files++}.sqlite`);
  copyFileSync(template, file);
  return file;
}

/** Starts a server and waits for its first answer. `file`: a database that is there already. */
export async function startServer(name, { file, cores = SERVER_CORE, settings = {}, nodeArguments = [] } = {}) {
  const { arguments: program, ownTables } = subject(name);
  file ??= ownTables ? join(folder, `${files++}.sqlite`) : newDatabase();
  const port = await freePort();
  const env = {
    PATH: process.env.PATH,
    PORT: String(port),
    DATABASE_URL: `sqlite:${file}`,
    DATABASE_FILE: file,
    ...settings,
  };
  const [command, ...args] = onCores(cores, [...nodeArguments, ...program]);
  const began = performance.now();
  // Its log goes nowhere, but is written.
  const child = spawn(command, args, { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk) => (errors += chunk));
  const exited = once(child, 'exit');
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  void exited.then(() => process.off('exit', kill));

  while (!(await answers(port))) {
    if (child.exitCode !== null || performance.now() - began > START_LIMIT_MS) {
      throw new Error(`${name} did not start: ${errors}`);
    }
    await sleep(POLL_MS);
  }
  return {
    name,
    port,
    file,
    pid: child.pid,
    startMs: performance.now() - began,
    cpuMs: () => cpuMsOf(child.pid),
    rssMiB: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]) / 1_024,
    /** What it said on standard error, for when it fails. */
    errors: () => errors,
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

function answers(port) {
  return new Promise((resolve) => {
    request({ port, host: '127.0.0.1', path: '/health/live', agent: false }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode === 200));
    })
      .once('error', () => resolve(false))
      .end();
  });
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Installs the peers' packages and builds our previous release from git, where that was not done before. */
export function prepare(names) {
  const run = (cwd, command) => execFileSync('sh', ['-c', command], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  if (!existsSync(join(ROOT, 'dist/main.js'))) {
    run(ROOT, 'npm run -s build');
  }
  if (!existsSync(join(PEERS, 'node_modules'))) {
    run(PEERS, 'npm ci --no-audit --no-fund --loglevel=error');
  }
  if (names.includes('previous') && !existsSync(join(previousFolder(), 'dist/main.js'))) {
    console.log(`building ${PREVIOUS} …`);
    mkdirSync(previousFolder(), { recursive: true });
    run(ROOT, `git archive ${PREVIOUS} | tar -x -C '${previousFolder()}'`);
    run(previousFolder(), 'npm ci --no-audit --no-fund --loglevel=error && npm run -s build');
  }
}

function previousFolder() {
  return join(ROOT, 'node_modules/.cache/bench', PREVIOUS);
}
