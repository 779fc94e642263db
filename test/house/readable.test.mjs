// What no linter asks of the sources: names that mean one thing, comments and files that are read at a glance.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'))
  .map((path) => ({ path: join('src', path), lines: readFileSync(join('src', path), 'utf8').split('\n') }));

test('each type has a name of its own: one word, one meaning', () => {
  const names = sources.flatMap(({ lines }) =>
    lines.flatMap((line) => /^(?:export )?(?:abstract )?(?:class|interface|type|enum) (\w+)/.exec(line)?.[1] ?? []),
  );
  assert.ok(names.length > 0);
  assert.deepEqual(
    names.filter((name, n) => names.indexOf(name) !== n),
    [],
  );
});

test('a line of comment has at most 120 characters', () => {
  const long = sources.flatMap(({ path, lines }) =>
    lines.flatMap((line, n) => (line.length > 120 && /^\s*(\/\*|\*|\/\/)/.test(line) ? `${path}:${n + 1}` : [])),
  );
  assert.deepEqual(long, []);
});

test('at most three files have more than 200 lines', () => {
  const long = sources.filter(({ lines }) => lines.length > 201).map(({ path }) => path);
  assert.ok(long.length <= 3, long.join('\n'));
});
