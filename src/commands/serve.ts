import { Logger } from '@nestjs/common';
import { createApp } from '../app';
import { shutDownOnSignal } from '../server';
import { CommandFailed, type Command } from './command';

export const serve: Command = {
  name: 'serve',
  help: 'Serve the six operations (the default)',
  async run({ config }) {
    const app = await createApp(config);
    try {
      await app.listen(config.port, config.host);
    } catch (error) {
      await app.close();
      throw error;
    }
    new Logger('Main').log(`Listening on ${await app.getUrl()}`);
    const cut = await shutDownOnSignal(app, config.shutdown);
    if (cut > 0) {
      throw new CommandFailed(`The deadline has passed: ${cut} requests were cut.`);
    }
  },
};
