import { describeApp } from '../app';
import { openApiDocument } from '../openapi';
import type { Command } from './command';

export const openapi: Command = {
  name: 'openapi',
  help: 'Print the OpenAPI document under the given settings',
  async run({ config }) {
    console.log(JSON.stringify(openApiDocument(await describeApp(config), config), null, 2));
  },
};
