import { finished } from 'node:stream/promises';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { MAX_CONTAINERS, MAX_DEPTH, parseJson } from '../common/json';
import { BAD_REQUEST, MALFORMED_JSON, Problem, UNSUPPORTED_MEDIA_TYPE } from '../common/problem';
import { Config } from '../config';
import { checkLength, handOver, misdescribed, readBody, tooLarge, type Decoded } from './body-bytes';
import { clientGone } from './current-client';
import { hasBody } from './has-body';
import { LARGE, LargeBodies } from './large-bodies';
import { pathOf } from './located-request';
import type { OperationBody } from './parameters';
import { parseQuery } from './query';

type MediaType = OperationBody['mediaType'];

/**
 * Reads the body that the operation declares, as the last guard and before the validation: of a stranger nothing is
 * read. JSON (RFC 8259) and forms are UTF-8, and JSON may begin with a BOM; gzip, deflate and br are decoded. The
 * members of a form may also come by the query. Raises 413 past the limit, 415 for another type, charset or coding, 400
 * for what is not as its type says. Files and streams are left to whoever reads them. An operation that reads no body
 * passes it over, but a change waits for its end: a request that turns out broken must not have been carried out.
 */
@Injectable()
export class BodyReader implements CanActivate {
  private readonly limit: number;
  private readonly largeBodies = new LargeBodies();

  constructor(private readonly config: Config) {
    this.limit = config.bodyLimit;
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (context.getType() !== 'http') {
      return true;
    }
    const http = context.switchToHttp();
    const req = http.getRequest<Request>();
    // RFC 9110, 14.5: a part of a thing must not be taken for the whole of it.
    if (req.method === 'PUT' && req.headers['content-range'] !== undefined) {
      throw new Problem(BAD_REQUEST, 'A thing can be replaced whole only, not by a range (Content-Range).');
    }
    const res = http.getResponse<Response>();
    const { streams = 'none', body, bodyLimit = this.limit } = req.operation ?? {};
    const type = typeOf(req);
    if (streams === 'all' ? !isParsed(req, type) : streams === 'files' && type === 'multipart/form-data') {
      handOver(req, res, typeof bodyLimit === 'function' ? bodyLimit(this.config) : bodyLimit);
      return true;
    }
    if (body || streams === 'all') {
      return this.fill(streams === 'all' ? (type as MediaType) : body!.mediaType, req, res);
    }
    return isYetToArrive(req) ? arrival(req) : true;
  }

  private async fill(type: MediaType, req: Request, res: Response): Promise<true> {
    if (!hasBody(req)) {
      req.body = withoutBody(type, req);
      return true;
    }
    if (req.readableDidRead) {
      return parsedAlready(req);
    }
    checkLength(req, this.limit);
    if (!isInUtf8(req, type)) {
      const headers = { Accept: type, ...(req.method === 'POST' ? { 'Accept-Post': type } : {}) };
      throw new Problem(UNSUPPORTED_MEDIA_TYPE, `The body must be ${type} in UTF-8.`, { headers });
    }
    const decoded = await readBody(req, res, this.limit);
    const bytes = decoded(Math.min(LARGE, this.limit)) ?? (await this.inTurn(decoded, req, res));
    req.body = type === 'application/json' ? json(bytes) : form(bytes, req.operation?.body ? req : undefined);
    return true;
  }

  private async inTurn(decoded: Decoded, req: Request, res: Response): Promise<Buffer> {
    await this.largeBodies.wait(req);
    if (res.closed) {
      throw clientGone();
    }
    const bytes = decoded(this.limit);
    if (!bytes) {
      throw tooLarge();
    }
    return bytes;
  }
}

/**
 * Plain Nest parses these for every handler, which finds them in `body` and reads all others itself. A handler that
 * names a limit of its own reads everything itself.
 */
const isParsed = (req: Request, type: string) =>
  !isSafe(req) &&
  hasBody(req) &&
  req.operation!.bodyLimit === undefined &&
  ['application/json', 'application/x-www-form-urlencoded'].includes(type);

const isSafe = ({ method }: Request) => method === 'GET' || method === 'HEAD';

/** Not of a client that waits for `100 Continue`: nobody sends that here. */
const isYetToArrive = (req: Request) =>
  !isSafe(req) && hasBody(req) && !req.complete && req.headers.expect === undefined;

/** Throws a Problem (400) where the request ends before its time. */
async function arrival(req: Request): Promise<true> {
  try {
    await finished(req.resume(), { writable: false });
    return true;
  } catch {
    throw misdescribed();
  }
}

/** A parser among Express's layers may have read it. */
function parsedAlready({ body, operation }: Request): true {
  if (body === undefined) {
    throw new Error(
      `A middleware has read the body of ${operation!.handler} and left none in req.body: ` +
        'let a parser read it there, as express.json() does',
    );
  }
  return true;
}

function withoutBody(type: MediaType, req: Request): unknown {
  if (type === 'application/json') {
    throw new Problem(MALFORMED_JSON, 'The request has no body.');
  }
  return req.query;
}

function json(bytes: Buffer): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Problem(
      MALFORMED_JSON,
      `The body is not JSON in UTF-8, is nested deeper than ${MAX_DEPTH} levels, ` +
        `or has more than ${MAX_CONTAINERS} objects and arrays.`,
    );
  }
}

/** With the members of the query: one that comes both ways stands there twice, which its rule refuses. */
function form(bytes: Buffer, { url }: { url: string } = { url: '' }): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Problem(BAD_REQUEST, 'The form is not in UTF-8.');
  }
  return parseQuery(`${url.slice(pathOf(url).length + 1)}&${text}`);
}

const typeOf = ({ headers }: Request) => (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();

function isInUtf8(req: Request, expected: MediaType): boolean {
  const [, ...parameters] = (req.headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters.map((parameter) => parameter.trim()).find((p) => p.startsWith('charset='));
  return typeOf(req) === expected && (!charset || /^charset="?(utf-?8|us-ascii)"?$/.test(charset));
}
