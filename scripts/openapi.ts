// npm run openapi: writes openapi.json and openapi-3.0.json from the sources, without a build.
import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { describeApp } from '../src/app';
import { loadConfig } from '../src/platform/config';
import { inOpenApi30, openApiDocument } from '../src/platform/openapi';

async function main(): Promise<void> {
  const config = loadConfig({});
  const document = openApiDocument(await describeApp(config), config);
  for (const [file, content] of [
    ['openapi.json', document],
    ['openapi-3.0.json', inOpenApi30(document)],
  ] as const) {
    writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
  }
}

void main();
