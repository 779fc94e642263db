// Documents that tell the code file by file name no file that is not there.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

/** What stands in backquotes and ends like a file. */
const filesIn = (document) =>
  [...readFileSync(document, 'utf8').matchAll(/`([\w./-]+\/[\w.-]+\.(?:ts|mjs|cjs|md|json))`/g)].map(
    ([, file]) => file,
  );

const isMarkdown = (file) => file.endsWith('.md');

test('docs/architecture.md names files of src/', () => {
  const named = filesIn('docs/architecture.md');
  assert.ok(named.length > 30);
  const missing = named.filter((file) => !existsSync(`src/${file}`) && !existsSync(file));
  assert.deepEqual(missing, []);
});

test('CONTRIBUTING.md names files that are there, but for those of the module that it makes', () => {
  const named = filesIn('CONTRIBUTING.md').filter((file) => !/shelter/.test(file));
  assert.ok(named.length > 15);
  assert.deepEqual(
    named.filter((file) => !existsSync(file)),
    [],
  );
});

test('the other documents name files that are there, by the end of their path', () => {
  const documents = ['SECURITY.md', ...readdirSync('docs').map((name) => `docs/${name}`)].filter(isMarkdown);
  const there = ['src', 'test', 'scripts', 'bench', 'docs']
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((file) => `${folder}/${file}`))
    .filter((file) => !file.includes('node_modules'));
  const named = documents.flatMap(filesIn).filter((file) => !/^dist\/|shelter/.test(file));
  assert.ok(named.length > 50);
  assert.deepEqual(
    named.filter((file) => !existsSync(file) && !there.some((path) => path.endsWith(`/${file}`))),
    [],
  );
});

test('the tree in README.md names folders and files that are there, and every room of src/', () => {
  const [, tree] = /## Where things live\n\n```\n(.*?)```/s.exec(readFileSync('README.md', 'utf8'));
  const named = tree.match(/\S+(?:\/|\.ts)(?=\s)/g);
  const places = ['.', 'src', 'src/user', 'src/auth', 'test'];
  assert.ok(named.length > 15);
  assert.deepEqual(
    named.filter((name) => !places.some((place) => existsSync(`${place}/${name}`))),
    [],
  );
  const roomsIn = (folder) => readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const words = new Set(tree.match(/[\w-]+/g));
  assert.deepEqual(
    [...roomsIn('src'), ...roomsIn('src/platform')].map(({ name }) => name).filter((name) => !words.has(name)),
    [],
  );
});
