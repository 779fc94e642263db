import { CommandFailed } from './command';

/** What a terminal would obey, or show in another order: control characters and marks of direction. */
const UNSAFE = /(?!\n)[\p{Cc}\p{Bidi_Control}]/gu;

/**
 * Writes lines of a command's result to standard output, and fulfils once it is there: the program may end then.
 * Throws CommandFailed when it cannot be written.
 */
export function print(text: string | string[]): Promise<void> {
  const lines = [text].flat().map((line) => `${line}\n`);
  return new Promise((resolve, reject) => {
    process.stdout.write(forReader(lines.join(''), process.stdout), (error) => {
      if (error) {
        reject(new CommandFailed(`Standard output cannot be written: ${(error as NodeJS.ErrnoException).code}.`));
      } else {
        resolve();
      }
    });
  });
}

/** As JSON escapes characters, so that a line of JSON means the same as before. Only a terminal needs it. */
export const forReader = (text: string, { isTTY }: { isTTY?: boolean }): string =>
  isTTY ? text.replace(UNSAFE, (unsafe) => `\\u${unsafe.charCodeAt(0).toString(16).padStart(4, '0')}`) : text;
