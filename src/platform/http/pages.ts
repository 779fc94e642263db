import { createHash } from 'node:crypto';
import type { Int64 } from '../common/json';
import { toInt64, writeJson } from '../common/json';
import { ValidationFailed } from '../common/problem';
import type { PageQuery } from './parameter-rules';

/**
 * Bytes, as stored, that a page of more than one thing has at most. 2 MiB are read and written within some tens of ms,
 * in which the event loop serves nobody else; one thing may have half as many.
 */
const PAGE_BYTES = 2 * 1_048_576;

/** The part of a list, in order of ids, that begins after one. */
export interface Page {
  after: Int64;
  limit: number;
}

/** A part of a list. */
export interface Found<T> {
  /** What is in it, in order of ids, and how large each is as it is stored. */
  rows: { id: Int64; bytes: number }[];
  /** Reads the first ones of them, without those that have gone or no longer belong here. */
  read: (ids: Int64[]) => Promise<T[]>;
}

export type Find<T> = (page: Page) => Promise<Found<T>>;

/** Things that are read whole, as a page counts them: for a table whose rows are never large. */
export const wholly = <T extends { id: Int64 }>(things: T[]): Found<T> => ({
  rows: things.map((thing) => ({ id: thing.id, bytes: Buffer.byteLength(writeJson(thing)) })),
  read: ({ length }) => Promise.resolve(things.slice(0, length)),
});

/**
 * The things after one, in order of ids: at most `limit`, and no more than have PAGE_BYTES together, but at least one.
 * Where more follow, `next` is the id of the last one. With `head` the things themselves are not read.
 */
export async function readPage<T>(find: Find<T>, after: Int64, limit: number, head = false) {
  const { rows, read } = await find({ after, limit: limit + 1 });
  const page = beginningOf(rows.slice(0, limit));
  const next = page.length < rows.length ? page.at(-1)!.id : undefined;
  const things = head || page.length === 0 ? [] : await read(page.map(({ id }) => id));
  return { next, things };
}

function beginningOf<T extends { bytes: number }>(rows: T[]): T[] {
  let bytes = 0;
  const end = rows.findIndex((row, n) => (bytes += row.bytes) > PAGE_BYTES && n > 0);
  return end === -1 ? rows : rows.slice(0, end);
}

/**
 * One page of the list at a template of a path and, where more follows, the Link to the next one. The cursor is the
 * last id: whatever is written meanwhile, what exists throughout is met once.
 */
export async function pageOf<T>(
  template: string,
  address: string,
  { limit, cursor, ...filters }: PageQuery,
  find: Find<T>,
  head: boolean,
): Promise<{ link?: string; things: T[] }> {
  const list = template + queryOf(filters, true);
  const after = cursor == null ? 0 : readCursor(list, cursor);
  const linkWith = (cursor: string) => `<${address}?${queryOf({ ...filters, limit, cursor })}>; rel="next"`;
  // Every cursor is as long as every other: the first page is refused as any would be.
  if (linkWith('x'.repeat(CURSOR_LENGTH)).length > MAX_LINK) {
    throw new ValidationFailed([
      { pointer: longestOf(filters), detail: `makes a Link of more than ${MAX_LINK} bytes` },
    ]);
  }
  const { next, things } = await readPage(find, after, limit, head);
  return { link: next === undefined ? undefined : linkWith(writeCursor(list, next)), things };
}

/** In bytes; many servers take no longer header. */
const MAX_LINK = 4_096;

type Values = Record<string, string | number | string[] | null | undefined>;

/** As a query string; sorted, it is the same for all that mean the same. */
function queryOf(values: object, sorted = false): string {
  const pairs = Object.entries(values as Values).flatMap(([name, value]) =>
    value == null ? [] : literal(value).map((item) => `${name}=${encodeURIComponent(item)}`),
  );
  return (sorted ? pairs.sort() : pairs).join('&');
}

/** A list of one that holds a comma stands there twice, or else it would be split when it is read. */
const literal = (value: string | number | string[]) =>
  Array.isArray(value) && value.length === 1 && value[0]!.includes(',') ? [...value, ...value] : [value].flat();

const longestOf = (filters: object) =>
  Object.entries(filters as Values)
    .map(([name, value]) => [name, queryOf({ value })] as const)
    .reduce((longest, other) => (other[1].length > longest[1].length ? other : longest))[0];

const ID_BYTES = 8;
const CURSOR_LENGTH = Math.ceil((2 * ID_BYTES * 4) / 3);

/** The id, and a checksum over the list, its filters and the id: no secret, but nobody hits it by chance. */
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
