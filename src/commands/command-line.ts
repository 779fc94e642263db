import { parseArgs } from 'node:util';
import { CommandFailed, type Call, type Command } from './command';
import { COMMANDS } from './commands';
import { print } from './print';
import { Problem } from '../common/problem';
import { loadConfig, SETTINGS } from '../config';
import { DatabaseUnusable } from '../database';
import { InvalidConfig } from '../config';
import { version } from '../common/version';

const OPTIONS = {
  help: { type: 'boolean', help: 'Show this help and end' },
  version: { type: 'boolean', help: 'Show the version and end' },
  'check-config': { type: 'boolean', help: 'The same as the command check-config' },
} as const;

class BadUsage extends Error {}

/** Does what the words after the program's name say; answers the exit code: 0, 1 for a failure, 2 for bad usage. */
export async function runCommandLine(args: string[], env: Call['env']): Promise<number> {
  try {
    await dispatch(args, env);
    return 0;
  } catch (error) {
    console.error(messageFor(error));
    return error instanceof BadUsage ? 2 : 1;
  }
}

async function dispatch(args: string[], env: Call['env']): Promise<void> {
  const [name, rest] = args[0]?.startsWith('-') === false ? [args[0], args.slice(1)] : [undefined, args];
  const command = commandNamed(name);
  const { values, positionals, flags } = parse(rest, command);
  if (values.help) {
    await print(name === undefined ? help() : helpFor(command));
  } else if (values.version) {
    await print(version());
  } else {
    const chosen = values['check-config'] ? commandNamed('check-config') : command;
    await chosen.run({ config: loadConfig(env), env, positionals, flags });
  }
}

function commandNamed(name: string | undefined): Command {
  const command = name === undefined ? COMMANDS[0] : COMMANDS.find((known) => known.name === name);
  if (!command) {
    throw new BadUsage(`There is no command ${JSON.stringify(name)}. The commands are:\n${commandList()}`);
  }
  return command;
}

function parse(args: string[], { name, positionals = [], flags = {} }: Command) {
  const parsed = parseOptions(args, Object.keys(flags));
  if (parsed.positionals.length !== positionals.length && !parsed.values.help) {
    throw new BadUsage(`Usage: ${[PROGRAM, name, ...positionals].join(' ')} [options]`);
  }
  const given = Object.keys(flags).filter((flag) => flag in parsed.values);
  return { ...parsed, flags: new Set(given) };
}

function parseOptions(args: string[], flags: string[]) {
  const own = Object.fromEntries(flags.map((flag) => [flag, { type: 'boolean' } as const]));
  try {
    return parseArgs({ args, options: { ...own, ...OPTIONS }, allowPositionals: true });
  } catch (error) {
    throw new BadUsage((error as Error).message);
  }
}

function messageFor(error: unknown): unknown {
  if (error instanceof Problem) {
    return [error.message, ...(error.extra.errors ?? []).map((fault) => `${fault.pointer} ${fault.detail}`)].join(
      '\n  ',
    );
  }
  return [BadUsage, CommandFailed, DatabaseUnusable, InvalidConfig].some((known) => error instanceof known)
    ? (error as Error).message
    : error;
}

const PROGRAM = 'pet-user-service';

function help(): string {
  return [
    `Usage: ${PROGRAM} [command] [options]`,
    `Commands (each has a --help of its own):\n${commandList()}`,
    `Options:\n${optionList(OPTIONS)}`,
    `Settings come from the environment, or from a file whose path NAME_FILE gives:\n${settingList()}`,
  ].join('\n\n');
}

function helpFor({ name, help, positionals = [], flags = {} }: Command): string {
  const own = Object.fromEntries(Object.entries(flags).map(([flag, meaning]) => [flag, { help: meaning }]));
  return [
    `Usage: ${[PROGRAM, name, ...positionals].join(' ')} [options]`,
    `${help}.`,
    `Options:\n${optionList({ ...own, help: OPTIONS.help })}`,
  ].join('\n\n');
}

const commandList = () =>
  table(COMMANDS.map(({ name, positionals = [], help }) => [[name, ...positionals].join(' '), help]));

const optionList = (options: Record<string, { help: string }>) =>
  table(Object.entries(options).map(([name, { help }]) => [`--${name}`, help]));

const settingList = () =>
  table(
    Object.entries(SETTINGS).map(([name, { default: text, meaning }]) => [
      name,
      `${meaning.replaceAll('`', '')} (default: ${text || 'none'})`,
    ]),
  );

function table(rows: [string, string][]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, meaning]) => `  ${name.padEnd(width)}  ${meaning}`).join('\n');
}
