// The raw rounds, one JSON file a case, one line a round.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../results');

/** What was measured before of other subjects of the same case stays. */
export function keep(name, { rounds, ms }, results) {
  mkdirSync(FOLDER, { recursive: true });
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const at = new Date().toISOString();
  const stamped = Object.fromEntries(
    Object.entries(results).map(([subject, measured]) => [
      subject,
      { at, commit, node: process.version, rounds, ms, measured },
    ]),
  );
  writeFileSync(fileOf(name), compact({ ...read(name), ...stamped }));
}

export const read = (name) => (existsSync(fileOf(name)) ? JSON.parse(readFileSync(fileOf(name), 'utf8')) : {});

const fileOf = (name) => join(FOLDER, `${name}.json`);

const rounded = (key, value) => (typeof value === 'number' ? Number(value.toPrecision(5)) : value);

/** Three levels are opened: the subject, what is known of it, its rounds. */
export function compact(value, depth = 0) {
  if (typeof value !== 'object' || value === null || depth === 3) {
    return JSON.stringify(value, rounded);
  }
  const pad = ' '.repeat(depth + 1);
  const inner = Array.isArray(value)
    ? value.map((one) => pad + compact(one, depth + 1))
    : Object.entries(value)
        .filter(([, one]) => one !== undefined)
        .map(([key, one]) => `${pad}${JSON.stringify(key)}: ${compact(one, depth + 1)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return inner.length === 0
    ? open + close
    : `${open}\n${inner.join(',\n')}\n${' '.repeat(depth)}${close}${depth === 0 ? '\n' : ''}`;
}
