// The raw rounds, one JSON file a case.
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
  writeFileSync(fileOf(name), `${JSON.stringify({ ...read(name), ...stamped }, rounded, 1)}\n`);
}

export const read = (name) => (existsSync(fileOf(name)) ? JSON.parse(readFileSync(fileOf(name), 'utf8')) : {});

const fileOf = (name) => join(FOLDER, `${name}.json`);

const rounded = (key, value) => (typeof value === 'number' ? Number(value.toPrecision(5)) : value);
