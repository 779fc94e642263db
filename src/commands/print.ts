import { CommandFailed } from './command';

/**
 * Writes a command's result to standard output, and fulfils once it is there: the program may end then.
 * Throws CommandFailed when it cannot be written.
 */
export function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(`${text}\n`, (error) => {
      if (error) {
        reject(new CommandFailed(`Standard output cannot be written: ${(error as NodeJS.ErrnoException).code}.`));
      } else {
        resolve();
      }
    });
  });
}
