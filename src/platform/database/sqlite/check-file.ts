import { accessSync, constants, existsSync, lstatSync, readlinkSync, statSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseUnusable } from '../database-unusable';
import { refuseNewer } from '../migrate';
import { migrations } from '../schema';
import { Sqlite } from './driver';

/**
 * Looks at what is to be the database before anything touches it, and leaves it as it is.
 * Throws DatabaseUnusable, a sentence, when it cannot be, or belongs to another program.
 */
export function checkFile(file: string): void {
  const stat = statOf(file);
  const folder = dirname(file);
  if (stat?.isDirectory()) {
    throw new DatabaseUnusable(`${file} is a folder; the database is a file.`);
  }
  if (stat && !stat.isFile()) {
    throw new DatabaseUnusable(`${file} is not a file.`);
  }
  // A volume that is not mounted: made anew, the database would stand beside it.
  if (!stat && lstatSync(file, { throwIfNoEntry: false })) {
    throw new DatabaseUnusable(`${file} is a link to ${readlinkSync(file)}, where there is nothing.`);
  }
  if (stat) {
    assertAccess(file, constants.R_OK | constants.W_OK, `${file} cannot be read and written`);
  }
  if (existsSync(folder)) {
    assertAccess(folder, constants.W_OK | constants.X_OK, `The folder ${folder} cannot be written`);
  }
  if (stat && stat.size > 0) {
    const { tables, seen } = contentsOf(file);
    if (tables.length > 0 && !seen.includes(FIRST)) {
      throw new DatabaseUnusable(
        `${file} is the database of another program, and is left as it is. Name another file.`,
      );
    }
  }
}

/** Throws DatabaseUnusable unless the file is a database that this version of the service has made, or an older one. */
export function assertOurs(file: string): void {
  const { seen } = contentsOf(file);
  if (!seen.includes(FIRST)) {
    throw new DatabaseUnusable(`${file} holds no database of this service.`);
  }
  refuseNewer(file, seen);
}

const FIRST: string = migrations[0].name;

/** The tables of a database, and the migrations that it has seen. */
export function contentsOf(file: string): { tables: string[]; seen: string[] } {
  try {
    const connection = new Sqlite(file, { readonly: true, fileMustExist: true });
    try {
      const column = (sql: string) =>
        connection
          .prepare(sql)
          .all()
          .map(({ name }) => String(name));
      const names = column(`SELECT "name" FROM "sqlite_master" WHERE "type" = 'table' AND "name" NOT LIKE 'sqlite_%'`);
      const isTypeOrm = column(`SELECT "name" FROM pragma_table_info('migrations')`).includes('name');
      return {
        tables: names.filter((name) => name !== 'migrations'),
        seen: isTypeOrm ? column('SELECT "name" FROM "migrations"') : [],
      };
    } finally {
      connection.close();
    }
  } catch (cause) {
    const { code, message } = cause as { code?: string; message: string };
    const sentence = code === 'SQLITE_NOTADB' ? 'is not a SQLite database' : `cannot be read: ${code} ${message}`;
    throw new DatabaseUnusable(`${file} ${sentence}.`, { cause });
  }
}

function statOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    throw new DatabaseUnusable(`${file} cannot be reached: ${(error as NodeJS.ErrnoException).code}.`, {
      cause: error,
    });
  }
}

function assertAccess(path: string, mode: number, sentence: string): void {
  try {
    accessSync(path, mode);
  } catch (error) {
    throw new DatabaseUnusable(`${sentence} by this user: ${(error as NodeJS.ErrnoException).code}.`, { cause: error });
  }
}
