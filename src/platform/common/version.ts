import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** The version in package.json, of the checkout or of the installed package. */
export function version(): string {
  const manifest = readFileSync(resolve(__dirname, '../../../package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
