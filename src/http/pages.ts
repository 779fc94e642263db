import { createHash } from 'node:crypto';
import type { Response } from 'express';
import type { Int64 } from '../common/json';
import { toInt64 } from '../common/json';
import { ValidationFailed } from '../common/problem';
import type { PageQuery } from './parameter-rules';

/** The part of a list, in order of ids, that begins after one. */
export interface Page {
  after: Int64;
  limit: number;
}

/**
 * Answers one page of a list in order of ids, and where more follows a `Link` to the next page (RFC 8288). `find` finds
 * what the query asks for. The cursor is the last id, so that whatever is written meanwhile, what exists throughout is
 * met once. Raises ValidationFailed for a cursor that this list, with these filters, did not give.
 */
export async function answerPage<T extends { id: Int64 }>(
  res: Response,
  { limit, cursor, ...filters }: PageQuery,
  find: (page: Page) => Promise<T[]>,
): Promise<T[]> {
  const { template } = res.req.operation!;
  const list = template + queryOf(filters, true);
  const after = cursor == null ? 0 : readCursor(list, cursor);
  const found = await find({ after, limit: limit + 1 });
  const page = found.slice(0, limit);
  if (found.length > limit) {
    const next = queryOf({ ...filters, limit, cursor: writeCursor(list, page.at(-1)!.id) });
    res.set('Link', `<${template}?${next}>; rel="next"`);
  }
  return page;
}

/** The header that `answerPage` sets, for the OpenAPI document. */
export const LINK_HEADER = {
  Link: { description: 'Where more follows: the next page, `rel="next"` (RFC 8288)', schema: { type: 'string' } },
} as const;

type Values = Record<string, string | number | string[] | null | undefined>;

/** As a query string; sorted, it is the same for all that mean the same. */
function queryOf(values: object, sorted = false): string {
  const pairs = Object.entries(values as Values).flatMap(([name, value]) =>
    value == null ? [] : [value].flat().map((item) => `${name}=${encodeURIComponent(item)}`),
  );
  return (sorted ? pairs.sort() : pairs).join('&');
}

const ID_BYTES = 8;

/** The id, and a checksum over the list, its filters and the id: no secret, but nothing that is hit by chance. */
function writeCursor(list: string, after: Int64): string {
  const id = Buffer.alloc(ID_BYTES);
  id.writeBigInt64BE(BigInt(after));
  const sum = createHash('sha256').update(id).update(list).digest().subarray(0, ID_BYTES);
  return Buffer.concat([id, sum]).toString('base64url');
}

function readCursor(list: string, cursor: string): Int64 {
  const bytes = Buffer.from(cursor, 'base64url');
  const after = bytes.length < ID_BYTES ? 0 : toInt64(bytes.readBigInt64BE());
  if (writeCursor(list, after) !== cursor) {
    throw new ValidationFailed([{ pointer: 'cursor', detail: 'is not a cursor of this list with these filters' }]);
  }
  return after;
}
