import { finished } from 'node:stream/promises';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { MAX_CONTAINERS, MAX_DEPTH, parseJson } from '../common/json';
import { BAD_REQUEST, MALFORMED_JSON, Problem, UNSUPPORTED_MEDIA_TYPE } from '../common/problem';
import { Config } from '../config';
import { checkLength, readBytes } from './body-bytes';
import { hasBody } from './has-body';
import { LargeBodies } from './large-bodies';
import type { OperationBody } from './parameters';
import { parseQuery } from './query';

type MediaType = OperationBody['mediaType'];

/**
 * Reads the body that the operation declares, as the last guard and before the validation: a stranger is refused first
 * and makes nothing be read. JSON (RFC 8259) and forms are UTF-8, JSON may begin with a BOM; gzip, deflate or br are
 * undone. A form without a body is read from the query. Raises 413 past the limit, 415 for another type, charset or
 * encoding, 400 for what is not as its type says. The body of an operation that declares none is
 * passed over, but a change waits for its end: a request that is refused as broken must not have been carried out.
 */
@Injectable()
export class BodyReader implements CanActivate {
  private readonly limit: number;
  private readonly largeBodies = new LargeBodies();

  constructor({ bodyLimit }: Config) {
    this.limit = bodyLimit;
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const req = http.getRequest<Request>();
    const body = req.operation?.body;
    // RFC 9110, 14.5: a part of a thing must not be taken for the whole of it.
    if (req.method === 'PUT' && req.headers['content-range'] !== undefined) {
      throw new Problem(BAD_REQUEST, 'A thing can be replaced whole only, not by a range (Content-Range).');
    }
    if (body) {
      return this.fill(body.mediaType, req, http.getResponse<Response>());
    }
    return isYetToArrive(req) ? arrival(req) : true;
  }

  private async fill(type: MediaType, req: Request, res: Response): Promise<true> {
    if (!hasBody(req)) {
      req.body = withoutBody(type, req);
      return true;
    }
    checkLength(req, this.limit);
    if (!isInUtf8(req.headers['content-type'], type)) {
      const headers = { Accept: type, ...(req.method === 'POST' ? { 'Accept-Post': type } : {}) };
      throw new Problem(UNSUPPORTED_MEDIA_TYPE, `The body must be ${type} in UTF-8.`, { headers });
    }
    const bytes = await readBytes(req, res, this.limit);
    await this.largeBodies.turn(bytes.length, req);
    if (res.closed) {
      throw new Problem(BAD_REQUEST, 'The client went away; nobody reads this.');
    }
    req.body = parsed(type, bytes);
    return true;
  }
}

/** Nobody asks for the body of a client that waits to be asked. */
const isYetToArrive = (req: Request) =>
  !['GET', 'HEAD'].includes(req.method) && hasBody(req) && !req.complete && req.headers.expect === undefined;

/** Throws a Problem (400) where the request ends before its time. */
async function arrival(req: Request): Promise<true> {
  try {
    await finished(req.resume(), { writable: false });
    return true;
  } catch {
    throw new Problem(BAD_REQUEST, 'The body does not arrive as its headers say.');
  }
}

function withoutBody(type: MediaType, req: Request): unknown {
  if (type === 'application/json') {
    throw new Problem(MALFORMED_JSON, 'The request has no body.');
  }
  return req.query;
}

function parsed(type: MediaType, bytes: Buffer): unknown {
  return type === 'application/json' ? json(bytes) : form(bytes);
}

function json(bytes: Buffer): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Problem(
      MALFORMED_JSON,
      `The body is not JSON in UTF-8, is nested deeper than ${MAX_DEPTH} levels, or has more than ${MAX_CONTAINERS} objects and arrays.`,
    );
  }
}

function form(bytes: Buffer): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Problem(BAD_REQUEST, 'The form is not in UTF-8.');
  }
  return parseQuery(text);
}

function isInUtf8(contentType = '', expected: MediaType): boolean {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  const charset = parameters.map((parameter) => parameter.trim()).find((p) => p.startsWith('charset='));
  return type.trim() === expected && (!charset || /^charset="?(utf-?8|us-ascii)"?$/.test(charset));
}
