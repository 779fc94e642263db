import { CommandFailed } from './command';

/**
 * Writes lines of a command's result to standard output, and fulfils once it is there: the program may end then.
 * Throws CommandFailed when it cannot be written.
 */
export function print(text: string | string[]): Promise<void> {
  const lines = [text].flat().map((line) => `${line}\n`);
  return new Promise((resolve, reject) => {
    process.stdout.write(lines.join(''), (error) => {
      if (error) {
        reject(new CommandFailed(`Standard output cannot be written: ${(error as NodeJS.ErrnoException).code}.`));
      } else {
        resolve();
      }
    });
  });
}
