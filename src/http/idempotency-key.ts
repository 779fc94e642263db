import type { IncomingHttpHeaders } from 'node:http';
import { problemKind, ValidationFailed } from '../common/problem';

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
  'The request with this Idempotency-Key is not answered yet; `Retry-After`',
);

/**
 * The key of a request (draft-ietf-httpapi-idempotency-key-header): printable ASCII, in quotes or bare, which mean the
 * same. Undefined where there is none. Throws ValidationFailed.
 */
export function idempotencyKeyOf(headers: IncomingHttpHeaders): string | undefined {
  const text = headers['idempotency-key'] as string | undefined;
  if (text === undefined) {
    return undefined;
  }
  const key = /^"[^"\\]*"$/.test(text) ? text.slice(1, -1) : text;
  if (!/^[!#-[\]-~]([ !#-[\]-~]*[!#-[\]-~])?$/.test(key) || key.length > 255) {
    throw new ValidationFailed([
      { pointer: 'Idempotency-Key', detail: 'must be 1 to 255 printable ASCII characters, without quotes inside' },
    ]);
  }
  return key;
}
