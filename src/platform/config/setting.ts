import { closeSync, openSync, readSync } from 'node:fs';

/** More than any setting has, be it the certificates of all authorities. */
const MOST_BYTES = 1_048_576;

/** How a text of the environment is read, and the text that is read where none is given. */
export interface SettingKind<T> {
  default: string;
  /** Throws an Error whose message ends the sentence "NAME must be …". */
  read: (text: string) => T;
}

/** One variable of the environment: its name, what it is for, and how its text is read. */
export interface Setting<T = unknown> extends SettingKind<T> {
  name: string;
  meaning: string;
}

/** Settings, and groups of settings. */
export interface Settings {
  [member: string]: Setting | Settings;
}
export type ValuesOf<S> = { -readonly [M in keyof S]: S[M] extends Setting<infer T> ? T : ValuesOf<S[M]> };
type Environment = Record<string, string | undefined>;

export class InvalidConfig extends Error {
  constructor(faults: string[]) {
    super(`The configuration is invalid:\n  ${faults.join('\n  ')}`);
  }
}

export const setting = <T>(name: string, kind: SettingKind<T>, meaning: string): Setting<T> => ({
  ...kind,
  name,
  meaning,
});

const isSetting = (entry: Setting | Settings): entry is Setting => typeof entry.read === 'function';

/** Those of all groups, in order. */
export const settingsIn = (settings: Settings): Setting[] =>
  Object.values(settings).flatMap((entry) => (isSetting(entry) ? [entry] : settingsIn(entry)));

/**
 * Reads every setting from its variable, or from the file that `NAME_FILE` names (a mounted secret).
 * Throws InvalidConfig that names every bad variable at once and shows no value.
 */
export function readSettings<S extends Settings>(settings: S, env: Environment): ValuesOf<S> {
  const faults: string[] = [];
  const readOne = ({ name, default: defaultText, read }: Setting) => {
    try {
      return read(given(name, env) ?? defaultText);
    } catch (error) {
      faults.push(`${name} must be ${(error as Error).message}`);
      return undefined;
    }
  };
  const readAll = (group: Settings): object =>
    Object.fromEntries(
      Object.entries(group).map(([member, entry]) => [member, isSetting(entry) ? readOne(entry) : readAll(entry)]),
    );
  const values = readAll(settings) as ValuesOf<S>;
  if (faults.length > 0) {
    throw new InvalidConfig(faults);
  }
  return values;
}

/** The variables that are set, by their names: an empty one counts as absent, as compose files leave them. */
export function givenNames(settings: Settings, env: Environment): string[] {
  return settingsIn(settings)
    .flatMap(({ name }) => [name, `${name}_FILE`])
    .filter((name) => env[name] && !isOfKubernetes(name, env));
}

/** Whether Kubernetes has set it, for a service whose name a setting begins with: METRICS_PORT=tcp://10.0.0.1:9090. */
export const isOfKubernetes = (name: string, env: Environment): boolean =>
  name.endsWith('_PORT') && /^tcp:\/\//.test(env[name] ?? '');

function given(name: string, env: Environment): string | undefined {
  const value = textOf(name, env)?.replace(/\r?\n$/, '');
  // A shell would remove them; an env file of Docker and a mounted secret keep them.
  if (value !== undefined && /^["'\s]|["'\s]$/.test(value)) {
    throw new Error('without quotes or blanks at its ends');
  }
  return value;
}

function textOf(name: string, env: Environment): string | undefined {
  const file = env[`${name}_FILE`];
  const value = isOfKubernetes(name, env) ? undefined : env[name];
  if (!file) {
    return value || undefined;
  }
  if (value) {
    throw new Error(`given once, by ${name} or by ${name}_FILE`);
  }
  try {
    return contentOf(file);
  } catch {
    throw new Error(`in a readable file where ${name}_FILE points, of UTF-8 and at most ${MOST_BYTES} bytes`);
  }
}

/** What a pipe holds, too; a device may have no end. */
function contentOf(file: string): string {
  const descriptor = openSync(file, 'r');
  try {
    const content = Buffer.alloc(MOST_BYTES + 1);
    let size = 0;
    for (let read = -1; read !== 0; size += read) {
      read = readSync(descriptor, content, size, content.length - size, null);
    }
    if (size > MOST_BYTES) {
      throw new Error('It is too long.');
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(content.subarray(0, size));
  } finally {
    closeSync(descriptor);
  }
}
