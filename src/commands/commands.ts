import { backup } from './backup';
import { checkConfig } from './check-config';
import type { AddCommand } from './command';
import { createUser } from './create-user';
import { deleteUser } from './delete-user';
import { demo } from './demo';
import { exportAll } from './export';
import { importPets } from './import-pets';
import { importUsers } from './import-users';
import { listUsers } from './list-users';
import { migrate } from './migrate';
import { openapi } from './openapi';
import { restore } from './restore';
import { serve } from './serve';
import { setPassword } from './set-password';

/** Everything the program does, in the order of its help. */
export const COMMANDS: readonly AddCommand[] = [
  serve,
  demo,
  migrate,
  backup,
  restore,
  listUsers,
  createUser,
  setPassword,
  deleteUser,
  exportAll,
  importUsers,
  importPets,
  checkConfig,
  openapi,
];
