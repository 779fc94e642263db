import { parse as parseExactly, stringify as stringifyExactly } from 'lossless-json';

/** An integer between −2^63 and 2^63−1: a number while it is exact as one, else a bigint. */
export type Int64 = number | bigint;

/** From decimal digits or a bigint: a number where that is exact. */
export function toInt64(value: string | bigint): Int64 {
  const exact = BigInt(value);
  return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact;
}

/** Objects and arrays may stand this deep in each other; validation recurses, so deeper input never reaches it. */
export const MAX_DEPTH = 32;

/** Members that class-transformer would mistake for a prototype or a class; nothing is validated then. */
const UNSAFE_MEMBERS: ReadonlySet<string> = new Set(['__proto__', 'constructor']);

// A JavaScript number holds 15 decimal digits exactly; an exponent may stand for more.
const MAY_LOSE_DIGITS = /[\d.]{16}|\d[eE]/;

/**
 * Reads JSON (RFC 8259) without rounding integers: those past 2^53 come as bigint, other numbers that a
 * JavaScript number would change come as NaN or ±Infinity. Of a repeated member the last one counts.
 * Throws SyntaxError or RangeError for what is not JSON or stands deeper than MAX_DEPTH.
 */
export function parseJson(text: string): unknown {
  const value: unknown = MAY_LOSE_DIGITS.test(text)
    ? parseExactly(text, undefined, { parseNumber: exactNumber, onDuplicateKey: ({ newValue }) => newValue })
    : JSON.parse(text);
  return cleanse(value, 0);
}

/** Writes JSON; a bigint becomes an exact JSON number. */
export function writeJson(value: unknown): string {
  return stringifyExactly(value) ?? 'null';
}

function exactNumber(text: string): number | bigint {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') {
    return 0;
  }
  const scale = Number(exponent) - fraction.length + (digits.length - significant.length);
  if (scale < 0) {
    return NaN;
  }
  if (significant.length + scale > 19) {
    return sign ? -Infinity : Infinity;
  }
  const integer = BigInt(sign + significant + '0'.repeat(scale));
  return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer;
}

/** Drops the unsafe members at any depth. */
function cleanse(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) {
    return value === 0 ? 0 : value;
  }
  if (depth === MAX_DEPTH) {
    throw new RangeError('nested too deeply');
  }
  if (Array.isArray(value)) {
    return value.map((item) => cleanse(item, depth + 1));
  }
  const clean: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const kept = cleanse(member, depth + 1);
    if (!UNSAFE_MEMBERS.has(key)) {
      clean[key] = kept;
    }
  }
  return clean;
}
