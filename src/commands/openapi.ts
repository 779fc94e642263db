import { describeApp } from '../app';
import { inOpenApi30, openApiDocument } from '../platform/openapi';
import type { AddCommand } from './command';
import { print } from './print';

export const openapi: AddCommand = (program, invocation) =>
  program
    .command('openapi')
    .description('Print the OpenAPI document under the given settings')
    .option('--3.0', 'in OpenAPI 3.0.3 instead of 3.1')
    .action(async (options: Record<string, true>) => {
      const document = openApiDocument(await describeApp(invocation.config), invocation.config);
      await print(JSON.stringify(options['3.0'] ? inOpenApi30(document) : document, null, 2));
    });
