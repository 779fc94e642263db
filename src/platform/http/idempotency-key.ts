import { problemKind } from '../common/problem';

/** An answer that was given before says so in this header. */
export const REPLAYED_HEADER = 'Idempotency-Replayed';

export const KEY_REUSED = problemKind(
  'idempotency-key-reused',
  422,
  'The Idempotency-Key belongs to another request; a new request needs a key of its own',
);
export const STILL_RUNNING = problemKind(
  'still-running',
  409,
  'Another request with this Idempotency-Key is not answered yet; `Retry-After`',
);
