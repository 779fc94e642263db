import type { Request, Response } from 'express';
import { problemKind, ValidationFailed } from '../common/problem';
import { requestParameter } from './parameters';

/** An answer that was given before says so in this header. */
export const REPLAYED_HEADER = 'Idempotency-Replayed';

export const KEY_REUSED = problemKind(
  'idempotency-key-reused',
  422,
  'Idempotency key reused',
  'The Idempotency-Key belongs to another request; a new request needs a key of its own',
);
export const STILL_RUNNING = problemKind(
  'still-running',
  409,
  'Still running',
  'Another request with this Idempotency-Key is not answered yet; `Retry-After`',
);

/** What somebody makes of a request and its key. */
type KeyReader = (key: string, req: Request, res: Response) => unknown;

/**
 * A handler's parameter: what `read` makes of the request; undefined where it has no Idempotency-Key. An operation
 * whose handler has such a parameter may be repeated, and the OpenAPI document says so.
 */
export const ByIdempotencyKey = requestParameter('idempotency key', (req, res, read: KeyReader) => {
  const key = idempotencyKeyOf(req);
  return key === undefined ? undefined : read(key, req, res);
});

/**
 * The key of a request (draft-ietf-httpapi-idempotency-key-header): one line of printable ASCII, in quotes or bare,
 * which mean the same. Undefined where there is none. Throws ValidationFailed.
 */
function idempotencyKeyOf({ headersDistinct }: Request): string | undefined {
  const [text, ...more] = headersDistinct['idempotency-key'] ?? [];
  if (text === undefined) {
    return undefined;
  }
  const key = /^"[^"\\]*"$/.test(text) ? text.slice(1, -1) : text;
  if (more.length > 0 || !/^[!#-[\]-~]([ !#-[\]-~]*[!#-[\]-~])?$/.test(key) || key.length > 255) {
    throw new ValidationFailed([
      {
        pointer: 'Idempotency-Key',
        detail:
          'must be one line of 1 to 255 printable ASCII characters, without quotes or backslashes in them or spaces around',
      },
    ]);
  }
  return key;
}
