import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { raw, type Request, type Response } from 'express';
import type { Observable } from 'rxjs';
import { hasBody } from './has-body';
import { BAD_REQUEST, BODY_TOO_LARGE, MALFORMED_JSON, Problem, UNSUPPORTED_MEDIA_TYPE } from '../common/problem';
import { MAX_DEPTH, parseJson } from '../common/json';

const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Reads the request body, after the guard and before the validation: a stranger is refused first and
 * makes nothing be parsed. Takes `application/json` in UTF-8 (RFC 8259; a BOM is skipped), also in gzip, deflate or br.
 * Raises 413 past `limit` bytes, 415 for another type, charset or encoding, 400 for what is not JSON.
 */
@Injectable()
export class JsonBodyInterceptor implements NestInterceptor {
  private readonly read: ReturnType<typeof raw>;

  constructor(limit: number) {
    this.read = raw({ limit, type: () => true });
  }

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const req = http.getRequest<Request>();
    if (METHODS_WITH_BODY.has(req.method)) {
      req.body = await this.parse(req, http.getResponse<Response>());
    }
    return next.handle();
  }

  private async parse(req: Request, res: Response): Promise<unknown> {
    if (!hasBody(req)) {
      throw new Problem(MALFORMED_JSON, 'The request has no body.');
    }
    if (!isJson(req.headers['content-type'])) {
      throw new Problem(UNSUPPORTED_MEDIA_TYPE, 'The body must be application/json in UTF-8.');
    }
    await new Promise<void>((resolve, reject) =>
      this.read(req, res, (error?: unknown) => (error ? reject(bodyProblem(error)) : resolve())),
    );
    try {
      return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(req.body as Buffer));
    } catch {
      throw new Problem(
        MALFORMED_JSON,
        `The body is not JSON in UTF-8, or stands more than ${MAX_DEPTH} levels deep in itself.`,
      );
    }
  }
}

function isJson(contentType = ''): boolean {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  const charset = parameters.map((parameter) => parameter.trim()).find((p) => p.startsWith('charset='));
  return type.trim() === 'application/json' && (!charset || /^charset="?utf-?8"?$/.test(charset));
}

/** body-parser raises http-errors: 413, 415 for an unknown Content-Encoding, 400 for corrupt data. */
function bodyProblem(error: unknown): Problem {
  const { status } = error as { status?: number };
  if (status === 413) {
    return new Problem(BODY_TOO_LARGE, 'The body is larger than the service takes.');
  }
  if (status === 415) {
    return new Problem(UNSUPPORTED_MEDIA_TYPE, 'The content encoding must be gzip, deflate, br or identity.');
  }
  return new Problem(BAD_REQUEST, 'The body does not arrive as its headers say.');
}
