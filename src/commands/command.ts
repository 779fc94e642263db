import type { Config } from '../config';

export interface Option {
  type: 'string' | 'boolean';
  help: string;
}

/** What a command was called with. */
export interface Call {
  config: Config;
  env: Record<string, string | undefined>;
  /** As many as the command's `positionals`. */
  positionals: string[];
  options: Record<string, string | boolean | undefined>;
}

/** One thing the program does, by its name on the command line. */
export interface Command {
  name: string;
  /** One line for --help. */
  help: string;
  /** The words that must follow the name, as --help shows them. */
  positionals?: string[];
  options?: Record<string, Option>;
  /** Throws CommandFailed for what the operator can mend. */
  run(call: Call): Promise<void>;
}

/** The command could not do its work; the message is for the operator. */
export class CommandFailed extends Error {}
