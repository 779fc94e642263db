// `npm run migration:create` and `migration:generate`, in a copy of the sources.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { temporaryFolder } from './support/built-service.mjs';
import { server } from './support/server-database.mjs';

const folder = temporaryFolder(after);
const SCHEMA = join(folder, 'src/platform/database/schema.ts');
before(() => {
  for (const part of ['package.json', 'tsconfig.json', '.prettierrc.json', 'scripts', 'src']) {
    cpSync(part, join(folder, part), { recursive: true });
  }
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
});

const run = (task, ...name) =>
  spawnSync('npm', ['run', '--silent', `migration:${task}`, '--', ...name], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: folder, TEST_DATABASE_URL: server ?? '' },
  });
const written = (name) =>
  readdirSync(join(folder, 'src/platform/database/migrations')).find((file) => file.endsWith(`-${name}.ts`));
const contentOf = (name) => readFileSync(join(folder, 'src/platform/database/migrations', written(name)), 'utf8');

test('migration:create writes an empty migration and lists it last', () => {
  assert.equal(run('create', 'pets-have-colours').status, 0);
  assert.match(contentOf('pets-have-colours'), /class PetsHaveColours\d{13} implements MigrationInterface/);
  assert.match(readFileSync(SCHEMA, 'utf8'), /PetsHaveColours\d{13},?\s*\]/);
  rmSync(join(folder, 'src/platform/database/migrations', written('pets-have-colours')));
  cpSync('src/platform/database/schema.ts', SCHEMA);
});

test('without a name, or with one that is no name, the scripts say how to call them', () => {
  for (const name of [[], ['Pets have colours'], ['../x']]) {
    const { status, stderr } = run('create', ...name);
    assert.deepEqual([status, stderr.split('\n').length], [1, 2]);
    assert.match(stderr, /as in: npm run migration:create -- /);
  }
});

test(
  'migration:generate writes what both dialects need, and nothing where nothing is pending',
  { skip: !server },
  () => {
    assert.match(run('generate', 'nothing').stdout, /^Nothing is pending/m);
    assert.equal(written('nothing'), undefined);
    const entity = join(folder, 'src/user/user.entity.ts');
    const text = readFileSync(entity, 'utf8');
    writeFileSync(
      entity,
      text.replace(/}\s*$/, "\n  @Column({ type: 'text', nullable: true })\n  colour: string | null;\n}\n"),
    );
    const { status, stderr } = run('generate', 'users-have-colours');
    assert.equal(status, 0, stderr);
    assert.match(
      contentOf('users-have-colours'),
      /'postgres'\) {\s+await runner.query\(`ALTER TABLE "user" ADD "colour" text`\)/,
    );
    assert.match(contentOf('users-have-colours'), /else {[^]*CREATE TABLE "temporary_user" \([^]*"colour" text/);
    assert.match(run('generate', 'again').stdout, /^Nothing is pending/m);
  },
);
