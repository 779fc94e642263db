/** An integer between −2^63 and 2^63−1: a number while it is exact as one, else a bigint. */
export type Int64 = number | bigint;

/** From decimal digits or a bigint: a number where that is exact. */
export function toInt64(value: string | bigint): Int64 {
  const exact = BigInt(value);
  return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact;
}

/** Objects and arrays may stand this deep in each other: what handles them may recurse. */
export const MAX_DEPTH = 32;

/** So many of them may be in one text: for its bytes, nothing costs as much time and memory as an empty object. */
export const MAX_CONTAINERS = 100_000;

/**
 * Reads JSON (RFC 8259) without rounding integers: those past 2^53 come as bigint, other numbers that a
 * JavaScript number would change come as NaN or ±Infinity. Of a repeated member the last one counts; members that could
 * pollute a prototype are dropped. The work is linear in the text, whatever it says.
 * Throws SyntaxError for what is not JSON, RangeError beyond MAX_DEPTH or MAX_CONTAINERS.
 */
export function parseJson(text: string): unknown {
  const exact: (number | bigint)[] = [];
  return restore(JSON.parse(withStandIns(text, exact)), exact);
}

/** Writes JSON; a bigint becomes an exact JSON number. */
export function writeJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch {
    // JSON.stringify refuses a bigint. Few values hold one, and for the others it is several times as fast.
    return writeExactly(value) ?? 'null';
  }
}

/** A JavaScript number keeps so many digits exactly, and fewer characters hold no more. */
const FEW_DIGITS = 15;
/** Stands in where JSON.parse would lose digits: 16 digits that end in 1, so that no number of few digits is equal. */
const FIRST_STAND_IN = 9_000_000_000_000_001;
const MAX_INT64 = 2 ** 63;

const { isInteger, isSafeInteger } = Number;
const { abs } = Math;
const NUMBER_CHARACTERS = /[-+.\deE]+/y;
const NUMBER = /^-?(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * The same text with stand-ins, ten apart, for the numbers that it adds to `exact`.
 * What is not JSON does not become JSON by it.
 */
function withStandIns(text: string, exact: (number | bigint)[]): string {
  let result = '';
  let copied = 0;
  let depth = 0;
  let containers = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at);
        break;
      case '[':
      case '{':
        depth++;
        containers++;
        if (depth > MAX_DEPTH || containers > MAX_CONTAINERS) {
          throw new RangeError('too deep or too many');
        }
        break;
      case ']':
      case '}':
        depth--;
        break;
      default:
        if (beginsNumber(text.charCodeAt(at))) {
          NUMBER_CHARACTERS.lastIndex = at;
          NUMBER_CHARACTERS.test(text);
          const end = NUMBER_CHARACTERS.lastIndex;
          const value = exactNumber(text.slice(at, end));
          if (value !== null) {
            result += `${text.slice(copied, at)}${FIRST_STAND_IN + exact.length * 10}`;
            exact.push(value);
            copied = end;
          }
          at = end - 1;
        }
    }
  }
  return result + text.slice(copied);
}

/** A digit or a minus, as charCodeAt gives it: most characters are neither. */
const beginsNumber = (code: number) => (code >= 48 && code <= 57) || code === 45;

/** Where the string that begins here ends, or the text. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') {
    at += text[at] === '\\' ? 2 : 1;
  }
  return at;
}

/** The exact value of a number; null for what is no number, and where what JSON.parse makes of it shows the value. */
function exactNumber(literal: string): number | bigint | null {
  const few = literal.length <= FEW_DIGITS;
  if (few && !literal.includes('e') && !literal.includes('E')) {
    return null;
  }
  const rounded = +literal;
  const parts = few && rounded !== 0 ? null : NUMBER.exec(literal);
  if (!parts) {
    return null;
  }
  if (abs(rounded) > MAX_INT64) {
    return rounded * Infinity;
  }
  return isInteger(rounded) ? exactInteger(rounded < 0 ? '-' : '', parts) : NaN;
}

function exactInteger(sign: string, [, whole = '', fraction = '', exponent = '0']: string[]): number | bigint {
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') {
    return 0;
  }
  const significant = withoutTrailingZeros(digits);
  const zeros = +exponent - fraction.length + (digits.length - significant.length);
  // A fraction may be so small that it was lost in rounding.
  return zeros < 0 ? NaN : toInt64(sign + significant + '0'.repeat(zeros));
}

/** `/0+$/` would try at each zero anew. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') {
    end--;
  }
  return digits.slice(0, end);
}

/** Puts the exact numbers in, and drops what could pollute a prototype, at any depth. */
function restore(value: unknown, exact: (number | bigint)[]): unknown {
  if (typeof value === 'number') {
    return restoreNumber(value, exact);
  }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      value[index] = restore(value[index], exact);
    }
  } else if (typeof value === 'object' && value !== null) {
    restoreMembers(value as Record<string, unknown>, exact);
  }
  return value;
}

function restoreNumber(value: number, exact: (number | bigint)[]): number | bigint {
  if (isSafeInteger(value)) {
    const isStandIn = value >= FIRST_STAND_IN && value % 10 === 1;
    return isStandIn ? exact[(value - FIRST_STAND_IN) / 10]! : value + 0;
  }
  if (abs(value) > MAX_INT64) {
    return value * Infinity;
  }
  // Of few digits: the shortest decimal that is nearest to this number is the one that was sent.
  return isInteger(value) ? BigInt(`${value}`) : value;
}

function restoreMembers(object: Record<string, unknown>, exact: (number | bigint)[]): void {
  for (const name of Object.keys(object)) {
    const member = object[name];
    if (name === '__proto__' || name === 'constructor') {
      delete object[name];
    } else if (typeof member !== 'string') {
      object[name] = restore(member, exact);
    }
  }
}

function writeExactly(value: unknown): string | undefined {
  if (typeof value === 'bigint') {
    return String(value);
  }
  if (Array.isArray(value)) {
    return `[${value.map((item) => writeExactly(item) ?? 'null').join(',')}]`;
  }
  if (typeof value !== 'object' || value === null || isWrittenByItself(value)) {
    return JSON.stringify(value);
  }
  const members = Object.entries(value).flatMap(([name, member]) => {
    const written = writeExactly(member);
    return written === undefined ? [] : [`${JSON.stringify(name)}:${written}`];
  });
  return `{${members.join(',')}}`;
}

/** As a Date is. A member `toJSON` that a client has sent is no function, and a member like others. */
const isWrittenByItself = (value: object) => 'toJSON' in value && typeof value.toJSON === 'function';
