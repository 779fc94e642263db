import cluster from 'node:cluster';
import type { AddressInfo } from 'node:net';
import { Logger } from '@nestjs/common';
import { createApp } from '../app';
import type { Config } from '../config';
import { AppLogger } from '../logging';
import { collectFromWorkers, Metrics, serveMetrics } from '../metrics';
import { runWorkers, shutDownOnSignal } from '../server';
import { CommandFailed, type Command } from './command';

export const serve: Command = {
  name: 'serve',
  help: 'Serve the six operations (the default)',
  run: ({ config }) => (config.processes > 1 && cluster.isPrimary ? serveInWorkers(config) : serveHere(config)),
};

async function serveInWorkers(config: Config): Promise<void> {
  Logger.overrideLogger(new AppLogger(config));
  tellOpenDoors(config);
  if (config.metrics) {
    await openMetrics(config.metrics, collectFromWorkers());
  }
  const exitCode = await runWorkers(config.processes);
  if (exitCode > 0) {
    throw new CommandFailed('A process could not start or end well; its own messages say why.');
  }
}

async function serveHere(config: Config): Promise<void> {
  const app = await createApp(config);
  try {
    await app.listen(config.port, config.host);
  } catch (error) {
    await app.close();
    throw error;
  }
  if (cluster.isPrimary) {
    tellOpenDoors(config);
  }
  if (config.metrics) {
    const collect = app.get(Metrics, { strict: false }).expose();
    if (cluster.isPrimary) {
      await openMetrics(config.metrics, collect);
    }
  }
  new Logger('Main').log(`Listening on ${await app.getUrl()}`);
  const cut = await shutDownOnSignal(app, config.shutdown);
  if (cut > 0) {
    throw new CommandFailed(`The deadline has passed: ${cut} requests were cut.`);
  }
}

async function openMetrics(address: NonNullable<Config['metrics']>, collect: () => Promise<string>): Promise<void> {
  const { port } = (await serveMetrics(address, collect)).address() as AddressInfo;
  new Logger('Main').log(`Metrics on http://${address.host}:${port}/metrics`);
}

/** The specification leaves these open to anyone; the operator should know, and how to shut them. */
function tellOpenDoors({ doors }: Config): void {
  const open = [
    ...(doors.petCreation === 'open' ? ['creating pets (PET_CREATION=open)'] : []),
    ...(doors.userCreation === 'open' ? ['creating users (USER_CREATION=open)'] : []),
  ];
  if (open.length > 0) {
    new Logger('Main').warn(`Open to anyone, without a token: ${open.join(', ')}`);
  }
}
