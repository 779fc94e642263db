import { readFileSync } from 'node:fs';
import { isPlainUrl, isSafeUrl } from '../common/safe-url';

/** One variable of the environment: its default as written there, what it is for, how its text is read. */
export interface Setting<T> {
  default: string;
  meaning: string;
  /** Throws an Error whose message ends the sentence "NAME must be …". */
  read: (text: string) => T;
}

type Settings = Record<string, Setting<unknown>>;
type Values<S extends Settings> = { [Name in keyof S]: ReturnType<S[Name]['read']> };
type Environment = Record<string, string | undefined>;

export class InvalidConfig extends Error {
  constructor(faults: string[]) {
    super(`The configuration is invalid:\n  ${faults.join('\n  ')}`);
  }
}

export function text(defaultText: string, meaning: string): Setting<string> {
  return { default: defaultText, meaning, read: (value) => value };
}

/** A host to listen on; an IPv6 address may stand in brackets, as it does in a URL. */
export function host(defaultText: string, meaning: string): Setting<string> {
  return { default: defaultText, meaning, read: (value) => value.replace(/^\[(.*:.*)\]$/, '$1') };
}

export function integer(defaultValue: number, min: number, max: number, meaning: string): Setting<number> {
  const read = (value: string) => {
    if (!/^\d{1,15}$/.test(value) || Number(value) < min || Number(value) > max) {
      throw new Error(`an integer from ${min} to ${max}`);
    }
    return Number(value);
  };
  return { default: String(defaultValue), meaning, read };
}

/** An address that secrets may depend on: https, or http on this machine; absent by default. */
export function safeUrl(meaning: string): Setting<string | undefined> {
  const read = (value: string) => {
    if (value !== '' && !isSafeUrl(value)) {
      throw new Error('an https: address without query or fragment (http: on this machine only)');
    }
    return value || undefined;
  };
  return { default: '', meaning, read };
}

/** The address that paths of ours are appended to; empty by default. */
export function publicUrl(meaning: string): Setting<string> {
  const read = (value: string) => {
    if (value !== '' && !isPlainUrl(value)) {
      throw new Error('an http: or https: address without credentials, query or fragment');
    }
    return value && new URL(value).href.replace(/\/+$/, '');
  };
  return { default: '', meaning, read };
}

/** An integer that may be left `off`, as it is by default: undefined then. */
export function integerOrOff(min: number, max: number, meaning: string): Setting<number | undefined> {
  const { read } = integer(min, min, max, meaning);
  return { default: 'off', meaning, read: (value) => (value === 'off' ? undefined : read(value)) };
}

/** The first choice is the default. */
export function choice<const T extends string>(choices: readonly [T, ...T[]], meaning: string): Setting<T> {
  const read = (value: string) => {
    const chosen = choices.find((known) => known === value);
    if (chosen === undefined) {
      throw new Error(`one of ${choices.join(', ')}`);
    }
    return chosen;
  };
  return { default: choices[0], meaning, read };
}

/**
 * Reads every setting from its variable, or from the file that `NAME_FILE` names (a mounted secret).
 * Throws InvalidConfig that names every bad variable at once and shows no value.
 */
export function readSettings<S extends Settings>(settings: S, env: Environment): Values<S> {
  const faults: string[] = [];
  const values = Object.entries(settings).map(([name, { default: defaultText, read }]) => {
    try {
      return [name, read(given(name, env) ?? defaultText)];
    } catch (error) {
      faults.push(`${name} must be ${(error as Error).message}`);
      return [name, undefined];
    }
  });
  if (faults.length > 0) {
    throw new InvalidConfig(faults);
  }
  return Object.fromEntries(values) as Values<S>;
}

/** The variables that are set, by their names: an empty one counts as absent, as compose files leave them. */
export function givenNames(settings: Settings, env: Environment): string[] {
  return Object.keys(settings)
    .flatMap((name) => [name, `${name}_FILE`])
    .filter((name) => env[name] && !isOfKubernetes(name, env));
}

/** Whether Kubernetes has set it, for a service whose name a setting begins with: METRICS_PORT=tcp://10.0.0.1:9090. */
export const isOfKubernetes = (name: string, env: Environment): boolean =>
  name.endsWith('_PORT') && /^tcp:\/\//.test(env[name] ?? '');

function given(name: string, env: Environment): string | undefined {
  const value = textOf(name, env)?.replace(/\r?\n$/, '');
  // What a shell would take away, an env file of Docker or a mounted secret keeps.
  if (value !== undefined && /^["'\s]|["'\s]$/.test(value)) {
    throw new Error('without quotes or blanks at its ends');
  }
  return value;
}

function textOf(name: string, env: Environment): string | undefined {
  const file = env[`${name}_FILE`];
  const text = isOfKubernetes(name, env) ? undefined : env[name];
  if (!file) {
    return text || undefined;
  }
  if (text) {
    throw new Error(`given once, by ${name} or by ${name}_FILE`);
  }
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new Error(`in a readable file where ${name}_FILE points`);
  }
}
