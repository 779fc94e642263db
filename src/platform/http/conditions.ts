import { randomInt } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { BAD_REQUEST, PRECONDITION_FAILED, Problem } from '../common/problem';
import { requestParameter } from './parameters';

/** The thing has changed since the client read it, or exists where it should not: nothing was done. */
export class PreconditionFailed extends Problem {
  constructor() {
    super(PRECONDITION_FAILED, 'It is not in the state that If-Match or If-None-Match asks for; nothing was done.');
  }
}

/** For a thing that is made or changed: a version that neither it nor an earlier thing of its name has ever had. */
export const newVersion = (): number => randomInt(1, 2 ** 48);

/** The strong entity tag of a version (RFC 9110, 8.8.3). */
export const entityTag = (version: number) => `"${version.toString(36)}"`;

/**
 * The conditions If-Match and If-None-Match of a request (RFC 9110, 13). Things have no date of change, so
 * If-Modified-Since and its like mean nothing here.
 */
export class Conditions {
  private readonly match: Tags | undefined;
  private readonly noneMatch: Tags | undefined;

  constructor(headers: IncomingHttpHeaders = {}) {
    this.match = tagsOf(headers['if-match']);
    this.noneMatch = tagsOf(headers['if-none-match']);
  }

  /** Whether the request has neither. */
  get none(): boolean {
    return this.match === undefined && this.noneMatch === undefined;
  }

  /**
   * Call it in the transaction that changes the thing, with its version there.
   * Throws PreconditionFailed when it must not be changed, a Problem (400) when a condition cannot be read.
   */
  assertMatches(version: number): void {
    this.assertMatch(version);
    if (this.noneMatch === MALFORMED) {
      throw malformed('If-None-Match');
    }
    if (this.noneMatch && holds(this.noneMatch, weakly(version))) {
      throw new PreconditionFailed();
    }
  }

  /**
   * Changes a thing in the very version that matches. `change` answers whether it met the thing as it was seen; where
   * somebody else changed it meanwhile, it is read again. Answers what was seen; throws as `find` and `assertMatches`.
   */
  async compareAndChange<T extends { version: number }>(
    find: () => Promise<T>,
    change: (seen: T) => Promise<boolean>,
  ): Promise<T> {
    for (;;) {
      const seen = await find();
      this.assertMatches(seen.version);
      if (await change(seen)) {
        return seen;
      }
    }
  }

  /** Whether the client that reads the thing has this version already. Throws as `assertMatches` does for If-Match. */
  isNotModified(version: number): boolean {
    this.assertMatch(version);
    // An If-None-Match that cannot be read is passed over: the whole thing is always a right answer.
    return this.noneMatch !== undefined && holds(this.noneMatch, weakly(version));
  }

  private assertMatch(version: number): void {
    if (this.match === MALFORMED) {
      throw malformed('If-Match');
    }
    if (this.match && !holds(this.match, [entityTag(version)])) {
      throw new PreconditionFailed();
    }
  }
}

/** A handler's parameter: the request's Conditions. */
export const RequestConditions = requestParameter('other', ({ headers }) => new Conditions(headers));

/** What is answered of a thing, and its version. */
export interface Versioned<T> {
  view: T;
  version: number;
}

const MALFORMED = 'malformed';
type Tags = '*' | typeof MALFORMED | string[];

const ENTITY_TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;
/** A list with a line break in the place of each tag; it may hold empty elements (RFC 9110, 5.6.1). */
const LIST = /^[, \t]*\n(?:[ \t]*,[, \t]*\n)*[, \t]*$/;

function tagsOf(field: string | undefined): Tags | undefined {
  const text = field?.trim();
  if (text === undefined) {
    return undefined;
  }
  if (text === '*') {
    return text;
  }
  return LIST.test(text.replace(ENTITY_TAG, '\n')) ? text.match(ENTITY_TAG)! : MALFORMED;
}

/** If-None-Match compares weakly: `W/` makes no difference. */
const weakly = (version: number) => [entityTag(version), `W/${entityTag(version)}`];

const holds = (tags: Tags, versions: string[]) =>
  tags === '*' || (tags !== MALFORMED && tags.some((tag) => versions.includes(tag)));

const malformed = (name: string) => new Problem(BAD_REQUEST, `${name} is neither * nor a list of entity tags.`);
