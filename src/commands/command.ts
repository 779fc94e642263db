import type { Command } from 'commander';
import type { Config } from '../platform/config';

/** What the program was called with. */
export interface Call {
  env: Record<string, string | undefined>;
  /** Read when a command asks for it. Throws InvalidConfig. */
  readonly config: Config;
}

/** Adds one thing that the program does. Its action throws CommandFailed for what the operator can mend. */
export type AddCommand = (program: Command, call: Call) => void;

/** The command could not do its work; the message is for the operator. */
export class CommandFailed extends Error {}
