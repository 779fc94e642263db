import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export interface FoundClass {
  /** From the project's folder on: `src/pet/pet.entity.ts`. */
  file: string;
  class: { name: string };
}

/** What the files below `folder` whose text matches export, by its file. */
export function classesIn(folder: string, text: RegExp): FoundClass[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file))
    .filter((file) => file.endsWith('.ts') && text.test(readFileSync(file, 'utf8')))
    .sort();
  return files.flatMap((file) =>
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    Object.values(require(resolve(file)) as object).map((exported: unknown) => ({
      file,
      class: exported as FoundClass['class'],
    })),
  );
}
