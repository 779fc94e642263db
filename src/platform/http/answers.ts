import type { ApiHeaderOptions, ApiResponseOptions } from '@nestjs/swagger';
import type { Response } from 'express';
import { PRECONDITION_FAILED, type ProblemKind } from '../common/problem';
import { Conditions, entityTag, type Versioned } from './conditions';
import { pageOf, type Find } from './pages';
import type { PageQuery } from './parameter-rules';
import { publicAddress } from './public-address';

/** What the OpenAPI document says of an answer. */
interface Documented {
  headers: Exclude<ApiResponseOptions['headers'], undefined>;
  answers?: Record<number, ApiResponseOptions>;
  problems?: ProblemKind[];
  /** Headers of the request. */
  conditions?: ApiHeaderOptions[];
}

/** What a handler returns where it means more than a body. The server's adapter has it rendered. */
export abstract class Answer<T> {
  /** Sets status and headers, and answers the body. */
  abstract render(res: Response): T | undefined | Promise<T | undefined>;
}

/** A kind of Answer, as `@Endpoint({ returns })` names it; what it documents depends on the status. */
export interface AnswerKind<A> {
  readonly prototype: A;
  documented(status?: number): Documented;
}

const ETAG = {
  ETag: {
    description: 'Strong, of this version',
    required: true,
    schema: { type: 'string', pattern: '^"[0-9a-z]+"$' },
  },
} as const;

/** For operations that heed conditions (RFC 9110, 13). The examples hold for every version of a thing. */
const CONDITIONAL = {
  headers: ETAG,
  problems: [PRECONDITION_FAILED],
  conditions: [condition('If-Match', '*'), condition('If-None-Match', '"0"')],
};

/** A thing as it is: with its ETag, or 304 without a body for the client that has this version; 412 by If-Match. */
export class Current<T> extends Answer<T> {
  constructor(private readonly thing: Versioned<T>) {
    super();
  }

  static documented = (): Documented => ({
    ...CONDITIONAL,
    answers: { 304: { description: 'Not modified', headers: ETAG } },
  });

  render(res: Response): T | undefined {
    const { view, version } = this.thing;
    const isNotModified = new Conditions(res.req.headers).isNotModified(version);
    setETag(res, version);
    if (isNotModified) {
      res.status(304);
      return undefined;
    }
    return view;
  }
}

/** That a thing was changed, with its new ETag; `view` is what is answered, `address` where that can be read. */
export class Changed<T = void> extends Answer<T> {
  constructor(
    private readonly version: number,
    private readonly view?: T,
    private readonly address?: string,
  ) {
    super();
  }

  static documented = (): Documented => CONDITIONAL;

  render(res: Response): T | undefined {
    setETag(res, this.version);
    if (this.address !== undefined) {
      res.set('Content-Location', this.address);
    }
    return this.view;
  }
}

/** A new thing with its ETag. `path` is where it is read: the Location of a 201, else the Content-Location. */
export class Created<T> extends Answer<T> {
  constructor(
    private readonly thing: Versioned<T>,
    private readonly path?: string,
  ) {
    super();
  }

  static documented = (status?: number): Documented => ({
    headers: {
      [locationOf(status)]: { description: 'Where it can be read', required: true, schema: { type: 'string' } },
      ...ETAG,
    },
  });

  render(res: Response): T {
    setETag(res, this.thing.version);
    if (this.path !== undefined) {
      res.set(locationOf(res.statusCode), publicAddress(res, this.path));
    }
    return this.thing.view;
  }
}

/**
 * A page of what `find` finds, in order of ids; where more follows, with a Link to the next page (RFC 8288). HEAD is
 * answered the Link alone, without a length, as RFC 9110, 9.3.2 permits. Raises ValidationFailed for a cursor that this
 * list, with these filters, did not give, and for filters that would make a Link which clients and proxies do not take.
 */
export class Paged<T> extends Answer<T[]> {
  constructor(
    private readonly query: PageQuery,
    private readonly find: Find<T>,
  ) {
    super();
  }

  static documented = (): Documented => ({
    headers: {
      Link: {
        description:
          'Where more follows: the next page, `rel="next"` (RFC 8288). A page ends at `limit`, ' +
          'or sooner where it is full by bytes',
        schema: { type: 'string' },
      },
    },
  });

  async render(res: Response): Promise<T[] | undefined> {
    const isHead = res.req.method === 'HEAD';
    const { template } = res.req.operation!;
    const { link, things } = await pageOf(template, publicAddress(res, template), this.query, this.find, isHead);
    if (link !== undefined) {
      res.set('Link', link);
    }
    if (isHead) {
      res.type('json');
      return undefined;
    }
    return things;
  }
}

const locationOf = (status = 201) => (status === 201 ? 'Location' : 'Content-Location');

function setETag(res: Response, version: number): void {
  res.set('ETag', entityTag(version));
}

function condition(name: string, example: string): ApiHeaderOptions {
  return { name, required: false, schema: { type: 'string' }, example, description: 'RFC 9110, 13.1' };
}
