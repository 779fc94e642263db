import { isPlainUrl, isSafeUrl } from '../common/safe-url';
import type { SettingKind } from './setting';

export const text: SettingKind<string> = { default: '', read: (value) => value };

/** A host to listen on; an IPv6 address may stand in brackets, as it does in a URL. */
export function host(defaultText: string): SettingKind<string> {
  return { default: defaultText, read: (value) => value.replace(/^\[(.*:.*)\]$/, '$1') };
}

export function integer(defaultValue: number, min: number, max: number): SettingKind<number> {
  const read = (value: string) => {
    if (!/^\d{1,15}$/.test(value) || Number(value) < min || Number(value) > max) {
      throw new Error(`an integer from ${min} to ${max}`);
    }
    return Number(value);
  };
  return { default: String(defaultValue), read };
}

/** Given in minutes or hours, read in milliseconds. */
export const minutes = inMilliseconds(60_000);
export const hours = inMilliseconds(3_600_000);

function inMilliseconds(factor: number): typeof integer {
  return (...bounds) => {
    const { default: defaultText, read } = integer(...bounds);
    return { default: defaultText, read: (value) => factor * read(value) };
  };
}

/** An integer, or `off`, as it is by default: undefined then. */
export function offOr(min: number, max: number): SettingKind<number | undefined> {
  const { read } = integer(min, min, max);
  return { default: 'off', read: (value) => (value === 'off' ? undefined : read(value)) };
}

/** An address that secrets may depend on: https, or http on this machine; absent by default. */
export const safeUrl: SettingKind<string | undefined> = {
  default: '',
  read: (value) => {
    if (value !== '' && !isSafeUrl(value)) {
      throw new Error('an https: address without query or fragment (http: on this machine only)');
    }
    return value || undefined;
  },
};

/** The address that paths of ours are appended to; empty by default. */
export const publicUrl: SettingKind<string> = {
  default: '',
  read: (value) => {
    if (value !== '' && !isPlainUrl(value)) {
      throw new Error('an http: or https: address without credentials, query or fragment');
    }
    return value && new URL(value).href.replace(/\/+$/, '');
  },
};

/** The first choice is the default. */
export function choice<const T extends string>(...choices: readonly [T, ...T[]]): SettingKind<T> {
  const read = (value: string) => {
    const chosen = choices.find((known) => known === value);
    if (chosen === undefined) {
      throw new Error(`one of ${choices.join(', ')}`);
    }
    return chosen;
  };
  return { default: choices[0], read };
}

/** Origins as browsers write them, or `*`; none by default. */
export const origins = words(
  /[\s,]+/,
  (word, { length }) =>
    (word === '*' && length === 1) ||
    (/^https?:[^*]+$/.test(word) && URL.canParse(word) && new URL(word).origin === word),
  'origins such as https://a.example, with spaces between them, or * alone (no *.a.example)',
);

/** RFC 6749, appendix A.4; none by default. */
export const scopes = words(/ +/, (word) => /^[!#-[\]-~]+$/.test(word), 'scopes as OAuth 2.0 spells them');

function words(
  separator: RegExp,
  isValid: (word: string, all: string[]) => boolean,
  expected: string,
): SettingKind<string[]> {
  const read = (value: string) => {
    const given = value.split(separator).filter((word) => word !== '');
    if (!given.every((word) => isValid(word, given))) {
      throw new Error(expected);
    }
    return given;
  };
  return { default: '', read };
}
