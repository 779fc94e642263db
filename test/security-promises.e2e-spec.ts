import { readFileSync, readdirSync } from 'node:fs';
import { basename, resolve } from 'node:path';

const project = resolve(__dirname, '..');
const read = (path: string) => readFileSync(resolve(project, path), 'utf8');
const files = ['src', 'test'].flatMap((folder) =>
  readdirSync(resolve(project, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
);

/** The rows of SECURITY.md: what is promised, and in which file which test holds it. */
const promises = [...read('SECURITY.md').matchAll(/^\| (.*?) +\| .* \| `(.*?)`: (.*?) +\|$/gm)].map(
  ([, promise = '', file = '', title = '']) => ({ promise, file, title }),
);

it('names a test for each promise', () => {
  expect(promises.length).toBeGreaterThan(20);
  expect(read('SECURITY.md').match(/^\| .*\|$/gm)).toHaveLength(promises.length + 2);
});

it.each(promises)('$promise: $file holds it', ({ file, title }) => {
  const path = files.find((known) => basename(known) === file);
  expect(path).toBeDefined();
  expect(read(path!)).toContain(title);
});
