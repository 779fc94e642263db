/*
 * npm run new -- NAME     makes a module: src/NAME/ with create, read, list, change and delete, its migration, its test
 *
 * The files come from template/; where the module is written down, CONTRIBUTING.md says.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { namesOf, objectionTo } from './names';
import { writeDown } from './write-down';

const TEMPLATES = join(__dirname, 'template');

/** Where the file of each template goes. */
const PLACES: Record<string, string> = {
  'index.ts': 'src/{{kebab}}/index.ts',
  'module.ts': 'src/{{kebab}}/{{kebab}}.module.ts',
  'entity.ts': 'src/{{kebab}}/{{kebab}}.entity.ts',
  'problems.ts': 'src/{{kebab}}/{{kebab}}.problems.ts',
  'service.ts': 'src/{{kebab}}/{{kebab}}.service.ts',
  'v1.controller.ts': 'src/{{kebab}}/{{kebab}}.v1.controller.ts',
  'create.dto.ts': 'src/{{kebab}}/dto/create-{{kebab}}.dto.ts',
  'change.dto.ts': 'src/{{kebab}}/dto/change-{{kebab}}.dto.ts',
  'path.dto.ts': 'src/{{kebab}}/dto/{{kebab}}-path.dto.ts',
  'view.ts': 'src/{{kebab}}/dto/{{kebab}}.view.ts',
  'migration.ts': 'src/platform/database/migrations/{{migrationFile}}.ts',
  'e2e-spec.ts': 'test/{{kebab}}.e2e-spec.ts',
};

function main(args: string[]): void {
  const [kebab] = args;
  if (args.length !== 1 || !kebab) {
    throw new Error('Say what the module is called, as in: npm run new -- shelter');
  }
  const templates = readdirSync(TEMPLATES).map(
    (file) => [basename(file, '.txt'), readFileSync(join(TEMPLATES, file), 'utf8')] as const,
  );
  const objection = objectionTo(
    kebab,
    templates.map(([, text]) => text),
  );
  if (objection) {
    throw new Error(objection);
  }
  const names = namesOf(kebab);
  const timestamp = Date.now();
  const migration = { file: `${timestamp}-${names.plural.replaceAll(' ', '-')}`, type: `${names.Names}${timestamp}` };
  const words = { ...names, migration: migration.type, migrationFile: migration.file };

  const made = templates.map(([template, text]) => write(filled(PLACES[template]!, words), filled(text, words)));
  const edited = writeDown(names, migration);
  run(process.execPath, 'node_modules/prettier/bin/prettier.cjs', '--write', ...made, ...edited);
  run('npm', 'run', '--silent', 'openapi');
  run('npm', 'run', '--silent', 'picture');
  console.log(`Made:
${list(made)}
Written down in:
${list([...edited, 'openapi.json', 'docs/architecture.md'])}
It can be served, and every check is green. What is left is yours:
  - its members: src/${kebab}/${kebab}.entity.ts and dto/, the migration, the examples, test/${kebab}.e2e-spec.ts
  - who may call what: access in src/${kebab}/${kebab}.v1.controller.ts, and again in test/routes.e2e-spec.ts
  - a line in CHANGELOG.md
After a change to the controller or to dto/: npm run openapi. CONTRIBUTING.md says what each check looks for.`);
}

const list = (files: string[]) => files.map((file) => `  ${file}`).join('\n');

function filled(template: string, words: Record<string, string>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, word: string) => words[word]!);
}

function write(file: string, text: string): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

try {
  main(process.argv.slice(2));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
