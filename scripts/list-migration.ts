import { readFileSync, writeFileSync } from 'node:fs';

export const SCHEMA = 'src/platform/database/schema.ts';

/** Lists a migration in the schema, after the latest one. */
export function listMigration(file: string, type: string): void {
  const text = readFileSync(SCHEMA, 'utf8');
  const imports = text.match(/^import .* from '\.\/migrations\/.*';\n/gm)!;
  const latest = imports.at(-1)!;
  const latestType = /\{ (\w+) \}/.exec(latest)![1]!;
  const listed = text
    .replace(latest, `${latest}import { ${type} } from './migrations/${file}';\n`)
    .replace(new RegExp(`(\\b${latestType}),?(?=\\s*\\])`), `$1, ${type}`);
  if (!listed.includes(`, ${type}`)) {
    throw new Error(`List ${type} in ${SCHEMA} by hand: its list of migrations was not found.`);
  }
  writeFileSync(SCHEMA, listed);
}
