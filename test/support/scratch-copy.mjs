// A copy of what the checks look at, for tests that change it; it is gone after them.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { temporaryFolder } from './built-service.mjs';

const PROJECT = resolve(import.meta.dirname, '../..');
const PARTS = [
  ...[
    'src',
    'test',
    'scripts',
    'docs',
    'package.json',
    'ormconfig.ts',
    'openapi.json',
    'README.md',
    'SECURITY.md',
    'CONTRIBUTING.md',
  ],
  ...[
    'tsconfig.json',
    'tsconfig.build.json',
    'nest-cli.json',
    'package-lock.json',
    'jest.config.js',
    'eslint.config.mjs',
    '.dependency-cruiser.cjs',
  ],
  ...['.prettierrc.json', '.prettierignore'],
];

/** `after` is that of the test file. */
export function scratchCopy(after) {
  const folder = temporaryFolder(after);
  const at = (file) => join(folder, file);
  PARTS.forEach((part) => cpSync(join(PROJECT, part), at(part), { recursive: true }));
  symlinkSync(join(PROJECT, 'node_modules'), at('node_modules'));
  /** How files were before they were changed. */
  const changed = new Map();
  const plant = (file, text) => {
    mkdirSync(dirname(at(file)), { recursive: true });
    writeFileSync(at(file), text);
  };
  const keep = (file) => changed.set(file, changed.get(file) ?? readFileSync(at(file), 'utf8'));
  return {
    folder,
    at,
    plant,
    /** Replaces what is there; a text that is not there fails the test. */
    replace(file, text, by) {
      const before = readFileSync(at(file), 'utf8');
      const after = before.replace(text, by);
      if (after === before) {
        throw new Error(`${file} does not hold ${text}`);
      }
      keep(file);
      plant(file, after);
    },
    remove(file) {
      keep(file);
      rmSync(at(file));
    },
    /** Undoes what `replace` and `remove` did. */
    restore() {
      changed.forEach((text, file) => plant(file, text));
      changed.clear();
    },
    /** Runs a program in the copy. Answers its exit code and all that it said. */
    run(program, args, env = {}) {
      const { TEST_DATABASE_URL: _, FORCE_COLOR: __, ...rest } = process.env;
      const { status, stdout, stderr } = spawnSync(program, args, {
        cwd: folder,
        encoding: 'utf8',
        env: { ...rest, NO_COLOR: '1', ...env },
      });
      return { status, said: stdout + stderr, stdout, stderr };
    },
  };
}
