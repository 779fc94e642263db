import cluster from 'node:cluster';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { Logger, type INestApplication } from '@nestjs/common';
import { createApp } from '../app';
import type { Config } from '../config';
import { AppLogger } from '../logging';
import { Metrics, serveMetrics, WorkerMetrics } from '../metrics';
import { runWorkers, shutDownOnSignal, STARTED_BY } from '../server';
import { CommandFailed, type Call, type Command } from './command';

export const serve: Command = {
  name: 'serve',
  help: 'Serve pets and users over HTTP (the default)',
  run: ({ config, env }) =>
    config.processes > 1 && cluster.isPrimary ? serveInWorkers(config) : serveHere(config, roleIn(env)),
};

/** Alone, one of several that this program has started, or of several that another program has started. */
type Role = 'alone' | 'worker' | 'foreign worker';

function roleIn(env: Call['env']): Role {
  if (cluster.isPrimary) {
    return 'alone';
  }
  return env[STARTED_BY] === String(process.ppid) ? 'worker' : 'foreign worker';
}

async function serveInWorkers(config: Config): Promise<void> {
  Logger.overrideLogger(new AppLogger(config));
  tellOpenDoors(config);
  if (config.metrics) {
    await openMetrics(config.metrics, new WorkerMetrics().collect);
  }
  const exitCode = await runWorkers(config.processes, config.shutdown.deadlineMs);
  if (exitCode > 0) {
    throw new CommandFailed('A process could not start or end well; its own messages say why.');
  }
}

async function serveHere(config: Config, role: Role): Promise<void> {
  const app = await createApp(config);
  try {
    await app.listen(config.port, config.host).catch(cannotListen(config, 'HOST and PORT'));
    if (role !== 'worker') {
      tellOpenDoors(config);
    }
    if (config.metrics) {
      await exposeMetrics(app, config.metrics, role);
    }
  } catch (error) {
    await app.close();
    throw error;
  }
  // V8 would let the heap grow to several times what lives in it; not while it grows by what stays.
  setFlagsFromString('--heap-growing-percent=100');
  new Logger('Main').log(`Listening on ${await app.getUrl()}`);
  const cut = await shutDownOnSignal(app, config.shutdown);
  if (cut > 0) {
    throw new CommandFailed(`The deadline has passed: ${cut} requests were cut.`);
  }
}

async function exposeMetrics(
  app: INestApplication,
  address: NonNullable<Config['metrics']>,
  role: Role,
): Promise<void> {
  if (role === 'foreign worker') {
    new Logger('Main').warn(
      'Metrics are off: another program (PM2, say) started this process beside others, and none could tell those of all; ' +
        'WEB_CONCURRENCY starts several that can',
    );
    return;
  }
  const collect = app.get(Metrics, { strict: false }).expose();
  if (role === 'alone') {
    await openMetrics(address, collect);
  }
}

async function openMetrics(address: NonNullable<Config['metrics']>, collect: () => Promise<string>): Promise<void> {
  const server = await serveMetrics(address, collect).catch(cannotListen(address, 'METRICS_HOST and METRICS_PORT'));
  const { port } = server.address() as AddressInfo;
  new Logger('Main').log(`Metrics on http://${address.host}:${port}/metrics`);
}

const REASONS: Record<string, string> = {
  EADDRINUSE: 'another program listens there',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'the system does not allow this user to',
  ENOTFOUND: 'nobody knows this name',
  EAI_AGAIN: 'the name cannot be looked up now',
};

function cannotListen({ host, port }: { host: string; port: number }, settings: string) {
  return ({ code = '', message }: NodeJS.ErrnoException): never => {
    throw new CommandFailed(`Cannot listen on ${host}, port ${port} (${settings}): ${REASONS[code] ?? message}.`);
  };
}

/** The specification leaves these open to anyone; the operator should know, and how to shut them. */
function tellOpenDoors({ doors }: Config): void {
  const open = [
    ...(doors.petCreation === 'open' ? ['creating pets (PET_CREATION=open)'] : []),
    ...(doors.petReading === 'open' ? ['reading pets (PET_READING=open)'] : []),
    ...(doors.userCreation === 'open' ? ['creating users (USER_CREATION=open)'] : []),
  ];
  if (open.length > 0) {
    new Logger('Main').warn(`Open to anyone, without a token: ${open.join(', ')}`);
  }
}
