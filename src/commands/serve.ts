import { Logger } from '@nestjs/common';
import { createApp } from '../app';
import type { Command } from './command';

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
  },
};
