import { getSystemErrorMap } from 'node:util';
import type { Command } from 'commander';
import type { Problem } from '../platform/common/problem';
import type { Config } from '../platform/config';

/** What the program was called with. */
export interface Invocation {
  env: Record<string, string | undefined>;
  /** Read when a command asks for it. Throws InvalidConfig. */
  readonly config: Config;
}

/** Adds one thing that the program does. Its action throws CommandFailed for what the operator can mend. */
export type AddCommand = (program: Command, invocation: Invocation) => void;

/** The command could not do its work; the message is for the operator. */
export class CommandFailed extends Error {}

/** What the system could not do, in its words: "no such file or directory". */
export const reasonOf = ({ errno = 0, message }: NodeJS.ErrnoException): string =>
  getSystemErrorMap().get(errno)?.[1] ?? message;

/** What is wrong with the one element of a list, for people: a member's name stands where the pointer was. */
export const faultsOf = ({ extra: { errors = [] } }: Problem): string[] =>
  errors.map(({ pointer, detail }) => [...pointer.split('/').slice(2), detail].join(' '));
