import { describeApp } from '../app';
import { openApiDocument } from '../openapi';
import type { Command } from './command';
import { print } from './print';

export const openapi: Command = {
  name: 'openapi',
  help: 'Print the OpenAPI document under the given settings',
  async run({ config }) {
    await print(JSON.stringify(openApiDocument(await describeApp(config), config), null, 2));
  },
};
