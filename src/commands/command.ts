import type { Config } from '../config';

/** What a command was called with. */
export interface Call {
  config: Config;
  env: Record<string, string | undefined>;
  /** As many as the command's `positionals`. */
  positionals: string[];
  /** Those of the command's `flags` that were given. */
  flags: Set<string>;
}

/** One thing the program does, by its name on the command line. */
export interface Command {
  name: string;
  /** One line for --help. */
  help: string;
  /** The words that must follow the name, as --help shows them. */
  positionals?: string[];
  /** Its own options, as in `--name`, each with a line for --help. */
  flags?: Record<string, string>;
  /** Throws CommandFailed for what the operator can mend. */
  run(call: Call): Promise<void>;
}

/** The command could not do its work; the message is for the operator. */
export class CommandFailed extends Error {}
