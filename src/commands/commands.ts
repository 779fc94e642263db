import { backup } from './backup';
import { checkConfig } from './check-config';
import type { Command } from './command';
import { createUser } from './create-user';
import { importUsers } from './import-users';
import { migrate } from './migrate';
import { openapi } from './openapi';
import { restore } from './restore';
import { serve } from './serve';

/** Everything the program does; the first is done when no command is named. */
export const COMMANDS: readonly [Command, ...Command[]] = [
  serve,
  migrate,
  backup,
  restore,
  createUser,
  importUsers,
  checkConfig,
  openapi,
];
