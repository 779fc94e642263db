import { Command, CommanderError } from 'commander';
import { Problem } from '../platform/common/problem';
import { version } from '../platform/common/version';
import { InvalidConfig, loadConfig, SETTINGS, settingsIn } from '../platform/config';
import { DatabaseUnusable } from '../platform/database';
import { CommandFailed, faultsOf, type Invocation } from './command';
import { COMMANDS } from './commands';
import { forReader, print } from './print';

/** Carries out the words after the program's name; answers the exit code: 0, 1 for a failure, 2 for bad usage. */
export async function runCommandLine(args: string[], env: Invocation['env']): Promise<number> {
  let shown = '';
  const program = new Command('pet-user-service')
    .description('Pets and users over HTTP. Without a command it serves.')
    .version(version(), '--version', 'show the version')
    .option('--check-config', 'the same as the command check-config')
    .addHelpText('after', `\nSettings:\n${settingList()}`)
    .addHelpText('afterAll', '\nSettings come from the environment, or from a file whose path NAME_FILE gives.')
    .showHelpAfterError('pet-user-service --help tells how to use it.')
    .configureOutput({ writeOut: (text) => (shown += text), writeErr: (text) => console.error(text.trimEnd()) })
    .exitOverride();
  const invocation: Invocation = {
    env,
    get config() {
      return loadConfig(env);
    },
  };
  COMMANDS.forEach((add) => add(program, invocation));
  try {
    await program.parseAsync(withDefault(args), { from: 'user' });
    return 0;
  } catch (error) {
    return error instanceof CommanderError ? await endOf(error, shown) : fail(error);
  }
}

/** commander ends with a text to show, or with bad usage, which it has already reported. */
async function endOf({ exitCode }: CommanderError, shown: string): Promise<number> {
  if (exitCode !== 0) {
    return 2;
  }
  return print(shown.trimEnd()).then(() => 0, fail);
}

function withDefault([first = 'serve', ...rest]: string[]): string[] {
  return [first === '--check-config' ? 'check-config' : first, ...rest];
}

function fail(error: unknown): number {
  const message = messageFor(error);
  console.error(typeof message === 'string' ? forReader(message, process.stderr) : message);
  return 1;
}

/** A sentence, or what is shown with its stack. */
function messageFor(error: unknown): unknown {
  if (error instanceof Problem) {
    const faults = faultsOf(error);
    return faults.length > 0 ? `The ${faults.join(', the ')}.` : error.message;
  }
  return [CommandFailed, DatabaseUnusable, InvalidConfig].some((known) => error instanceof known)
    ? (error as Error).message
    : error;
}

function settingList(): string {
  const settings = settingsIn(SETTINGS);
  const width = Math.max(...settings.map(({ name }) => name.length));
  return settings
    .map(({ name, default: text, meaning }) => {
      const plain = meaning.replaceAll('`', '');
      return `  ${name.padEnd(width)}  ${plain} (default: ${text || 'none'})`;
    })
    .join('\n');
}
