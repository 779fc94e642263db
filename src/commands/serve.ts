import cluster from 'node:cluster';
import type { AddressInfo, Server } from 'node:net';
import { Logger, type INestApplication } from '@nestjs/common';
import { createApp } from '../app';
import { isOfKubernetes, RETIRED_SETTINGS, SETTINGS, settingsIn, type Config } from '../platform/config';
import { AppLogger } from '../platform/logging';
import { Metrics, serveMetrics, WorkerMetrics } from '../platform/metrics';
import { runWorkers, shutDownOnSignal, STARTED_BY } from '../platform/server';
import { CommandFailed, reasonOf, type AddCommand, type Invocation } from './command';

export const serve: AddCommand = (program, invocation) =>
  program
    .command('serve')
    .description('Serve pets and users over HTTP (the default)')
    .action(() => {
      const { config, env } = invocation;
      return config.processes > 1 && cluster.isPrimary ? serveInWorkers(config, env) : serveHere(config, env);
    });

/** A process that serves alone, one that `serveInWorkers` has started, or one that another program has started. */
type Role = 'alone' | 'worker' | 'foreign worker';

function roleIn(env: Invocation['env']): Role {
  if (cluster.isPrimary) {
    return 'alone';
  }
  return env[STARTED_BY] === String(process.ppid) ? 'worker' : 'foreign worker';
}

async function serveInWorkers(config: Config, env: Invocation['env']): Promise<void> {
  Logger.overrideLogger(new AppLogger(config));
  warnOfSettings(config, env);
  if (config.metrics) {
    await openMetrics(config.metrics, new WorkerMetrics().collect);
  }
  const exitCode = await runWorkers(config.processes, config.shutdown.deadlineMs);
  if (exitCode > 0) {
    throw new CommandFailed('A process could not start or end well; its own messages say why.');
  }
}

async function serveHere(config: Config, env: Invocation['env']): Promise<void> {
  const role = roleIn(env);
  const app = await createApp(config);
  try {
    await app.listen(config.port, config.host).catch(cannotListen(config, 'HOST and PORT'));
    if (role !== 'worker') {
      warnOfSettings(config, env);
    }
    if (config.metrics) {
      await exposeMetrics(app, config.metrics, role);
    }
  } catch (error) {
    await app.close();
    throw error;
  }
  new Logger('Main').log(`Listening on ${urlOf(app.getHttpServer() as Server)}`);
  const cut = await shutDownOnSignal(app, config.shutdown);
  if (cut > 0) {
    throw new CommandFailed(`The deadline has passed. Requests that were cut: ${cut}.`);
  }
}

async function exposeMetrics(
  app: INestApplication,
  address: NonNullable<Config['metrics']>,
  role: Role,
): Promise<void> {
  if (role === 'foreign worker') {
    new Logger('Main').warn(
      'Metrics are off: another program (such as PM2) started this process, and this one does not know the numbers ' +
        'of the others; processes that WEB_CONCURRENCY starts are summed',
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
  new Logger('Main').log(`Metrics on ${urlOf(server)}/metrics`);
}

/** The address as it is, 0.0.0.0 too, which Nest's getUrl would call 127.0.0.1. */
function urlOf(server: Server): string {
  const { address, port } = server.address() as AddressInfo;
  return `http://${inUrl(address)}:${port}`;
}

/** Where the service listens, as seen from this machine. */
export const addressOf = ({ host, port }: Config): string =>
  `http://${inUrl(host.replace(/^0\.0\.0\.0$/, '127.0.0.1').replace(/^::$/, '::1'))}:${port}`;

const inUrl = (host: string) => (host.includes(':') ? `[${host}]` : host);

function cannotListen({ host, port }: { host: string; port: number }, settings: string) {
  return (error: NodeJS.ErrnoException): never => {
    throw new CommandFailed(`Cannot listen on ${inUrl(host)}, port ${port} (${settings}): ${reasonOf(error)}.`);
  };
}

function warnOfSettings({ accessPolicy }: Config, env: Invocation['env']): void {
  const logger = new Logger('Main');
  // The specification opens these to anyone: the start tells the operator, and which setting closes them.
  const open = Object.entries(SETTINGS.accessPolicy)
    .filter(([operation]) => accessPolicy[operation as keyof typeof accessPolicy] === 'open')
    .map(([, { name }]) => `${name}=open`);
  if (open.length > 0) {
    logger.warn(`Open to anyone, without a token: ${open.join(', ')}`);
  }
  Object.entries(RETIRED_SETTINGS)
    .filter(([name]) => env[name])
    .forEach(([name, now]) => logger.warn(`${name} is set and does nothing: ${now}`));
  for (const { name } of settingsIn(SETTINGS).filter((setting) => isOfKubernetes(setting.name, env))) {
    const service = name.replace(/_PORT$/, '').toLowerCase();
    logger.warn(`${name} is passed over: Kubernetes has set it, for a service named "${service}"`);
  }
}
