import { readFileSync, writeFileSync } from 'node:fs';
import { listMigration, SCHEMA } from '../list-migration';
import type { Names } from './names';

/** Writes a module down wherever CONTRIBUTING.md says that modules are. Answers the files. */
export function writeDown(names: Names, migration: { file: string; type: string }): string[] {
  const { kebab, table, name, Name, Plural } = names;
  listMigration(migration.file, migration.type);
  const edited = [
    edit('src/app.module.ts', (text) =>
      withImport(text, `import { ${Name}Module } from './${kebab}';`).replace(/\bHealthModule,/, `${Name}Module, $&`),
    ),
    edit('src/entities.ts', (text) =>
      withImport(text, `import { ${name}Entities } from './${kebab}';`).replace(/,?\s*\];/, `, ...${name}Entities];`),
    ),
    edit('src/platform/openapi/document.ts', (text) =>
      text.replace(/ *\.addBearerAuth/, `.addTag('${kebab}', '${Plural}, each with a name of its own')\n$&`),
    ),
    edit('docs/problems.md', (text) => `${text.trimEnd()}\n${problemRows(kebab).join('\n')}\n`),
    edit('test/routes.e2e-spec.ts', (text) =>
      text.replace(
        '\n];',
        `\n${operationsOf(names)
          .map((operation) => `'${operation}',\n`)
          .join('')}];`,
      ),
    ),
    edit('test/repeats.e2e-spec.ts', (text) =>
      text.replace('\n};', `\n'POST /v1/${kebab}': ['${table}', 201, (n) => ({ name: \`${kebab}-\${n}\` })],\n};`),
    ),
  ];
  return [SCHEMA, ...edited];
}

/** Method, path, status, and who may call it: as the templates say it. */
function operationsOf({ kebab, name }: Names): string[] {
  const all = `/v1/${kebab}`;
  const one = `${all}/{${name}Id}`;
  return [
    `DELETE ${one} 200 token`,
    `GET ${all} 200 anyone`,
    `GET ${one} 200 anyone`,
    `PATCH ${one} 200 token`,
    `POST ${all} 201 token`,
  ];
}

function problemRows(kebab: string): string[] {
  const text = readFileSync(`src/${kebab}/${kebab}.problems.ts`, 'utf8');
  const kinds = text.matchAll(/problemKind\(\s*'(.*?)',\s*(\d+),\s*'(.*?)',?\s*\)/g);
  return [...kinds].map(([, type, status, meaning]) => `| \`/problems/${type}\` | ${status} | ${meaning} |`);
}

/** Among the others from this folder, in the order of the alphabet. */
function withImport(text: string, line: string): string {
  const lines = text.split('\n');
  const from = (one: string) => /^import .* from '\.\/(.*)';$/.exec(one)?.[1];
  const next = lines.findIndex((one) => (from(one) ?? '') > from(line)!);
  const last = lines.findLastIndex((one) => one.startsWith('import '));
  lines.splice(next === -1 ? last + 1 : next, 0, line);
  return lines.join('\n');
}

function edit(file: string, change: (text: string) => string): string {
  const before = readFileSync(file, 'utf8');
  const after = change(before);
  const added = after.split('\n').length - before.split('\n').length;
  if (added < 1) {
    throw new Error(`${file} is not as expected, and nothing was written there: CONTRIBUTING.md says what to add.`);
  }
  writeFileSync(file, after);
  return file;
}
