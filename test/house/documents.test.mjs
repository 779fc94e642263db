// Documents that tell the code file by file name no file that is not there.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

/** What stands in backquotes and ends like a file. */
const filesIn = (document) =>
  [...readFileSync(document, 'utf8').matchAll(/`([\w./-]+\/[\w.-]+\.(?:ts|mjs|cjs|md|json))`/g)].map(
    ([, file]) => file,
  );

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
