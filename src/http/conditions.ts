import type { IncomingHttpHeaders } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { BAD_REQUEST, PRECONDITION_FAILED, Problem } from '../common/problem';

/** What was asked for has changed since the client read it, or exists where it should not: nothing was done. */
export class PreconditionFailed extends Problem {
  constructor() {
    super(PRECONDITION_FAILED, 'It is not in the state that If-Match or If-None-Match asks for; nothing was done.');
  }
}

/** The strong entity tag of a version (RFC 9110, 8.8.3). */
export const entityTag = (version: number) => `"${version.toString(36)}"`;

/**
 * The conditions If-Match and If-None-Match of a request (RFC 9110, 13). There are no dates to compare,
 * so If-Modified-Since and its like mean nothing here.
 */
export class Conditions {
  private readonly match: Tags | undefined;
  private readonly noneMatch: Tags | undefined;

  constructor(headers: IncomingHttpHeaders = {}) {
    this.match = tagsOf(headers['if-match']);
    this.noneMatch = tagsOf(headers['if-none-match']);
  }

  /** Whether nothing is asked. */
  get none(): boolean {
    return this.match === undefined && this.noneMatch === undefined;
  }

  /**
   * Call it in the transaction that changes the thing, with its version there.
   * Throws PreconditionFailed when it must not be changed, a Problem (400) when a condition cannot be read.
   */
  permit(version: number): void {
    this.permitMatch(version);
    if (this.noneMatch === MALFORMED) {
      throw malformed('If-None-Match');
    }
    if (this.noneMatch && holds(this.noneMatch, weakly(version))) {
      throw new PreconditionFailed();
    }
  }

  /** Whether the client that reads the thing has this version already. Throws as `permit` does for If-Match. */
  isNotModified(version: number): boolean {
    this.permitMatch(version);
    // The whole thing is always a right answer, so what cannot be read is passed over.
    return this.noneMatch !== undefined && holds(this.noneMatch, weakly(version));
  }

  private permitMatch(version: number): void {
    if (this.match === MALFORMED) {
      throw malformed('If-Match');
    }
    if (this.match && !holds(this.match, [entityTag(version)])) {
      throw new PreconditionFailed();
    }
  }
}

/** The request's Conditions, for a handler's parameter. */
export const RequestConditions = createParamDecorator(
  (_: unknown, context: ExecutionContext) => new Conditions(context.switchToHttp().getRequest<Request>().headers),
);

/** What is answered of a thing, and its version. */
export interface Versioned<T> {
  view: T;
  version: number;
}

/** Answers a thing that was read with its ETag, or 304 to the client that has this version. */
export function answerVersion<T>(
  res: Response,
  { view, version }: Versioned<T>,
  conditions: Conditions,
): T | undefined {
  const isNotModified = conditions.isNotModified(version);
  tellVersion(res, version);
  if (isNotModified) {
    res.status(304);
    return undefined;
  }
  return view;
}

/** Says the version that a thing has after it was made or changed. */
export function tellVersion(res: Response, version: number): void {
  res.set('ETag', entityTag(version));
}

const MALFORMED = 'malformed';
type Tags = '*' | typeof MALFORMED | string[];

const ENTITY_TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/y;
const SEPARATOR = /[ \t]*(?:,[ \t]*)+|[ \t]*$/y;

/** Lists may hold empty elements (RFC 9110, 5.6.1). */
function tagsOf(field: string | undefined): Tags | undefined {
  const text = field?.trim();
  if (text === undefined || text === '*') {
    return text;
  }
  const tags: string[] = [];
  let at = /^[, \t]*/.exec(text)![0].length;
  while (at < text.length) {
    ENTITY_TAG.lastIndex = at;
    const tag = ENTITY_TAG.exec(text)?.[0];
    SEPARATOR.lastIndex = ENTITY_TAG.lastIndex;
    if (tag === undefined || !SEPARATOR.test(text)) {
      return MALFORMED;
    }
    tags.push(tag);
    at = SEPARATOR.lastIndex;
  }
  return tags.length > 0 ? tags : MALFORMED;
}

/** If-None-Match compares weakly: `W/` makes no difference. */
const weakly = (version: number) => [entityTag(version), `W/${entityTag(version)}`];

const holds = (tags: Tags, versions: string[]) =>
  tags === '*' || (tags !== MALFORMED && tags.some((tag) => versions.includes(tag)));

const malformed = (name: string) => new Problem(BAD_REQUEST, `${name} is neither * nor a list of entity tags.`);
