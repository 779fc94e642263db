import { Logger } from '@nestjs/common';
import { createApp } from './app';
import { loadConfig } from './config';
import { InvalidConfig } from './settings';

async function main(): Promise<void> {
  const config = loadConfig(process.env);
  const app = await createApp(config);
  await app.listen(config.port, config.host);
  new Logger('Main').log(`Listening on ${await app.getUrl()}`);
}

main().catch((error: unknown) => {
  console.error(error instanceof InvalidConfig ? error.message : error);
  process.exit(1);
});
