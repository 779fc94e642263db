import { randomUUID } from 'node:crypto';
import { document, resolved } from './documented';

/*
 * Requests that are as costly to read as their bytes allow: made from openapi.json, for every operation and for every
 * place in it where a value can stand. `size` is in bytes, of the body or of the head.
 */

interface Schema {
  $ref?: string;
  anyOf?: Schema[];
  allOf?: Schema[];
  type?: string | string[];
  items?: Schema;
  properties?: Record<string, Schema>;
}
interface Documented {
  parameters?: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema; examples?: Record<string, { value: unknown }> }> };
}
export interface HostileOperation {
  method: string;
  template: string;
  /** With sample values for its parameters. */
  path: string;
  query: string;
  queryNames: string[];
  /** All fields that a client may send, each such as lets the request through. */
  headers: () => Record<string, string>;
  json?: { places: Place[]; example: unknown };
  form: boolean;
}
/** Text of about `size` characters. */
export type Shape = (size: number) => string;

/** Whether to try all that is hostile, and in full strength, which takes minutes and a machine of its own. */
export const EVERYTHING = process.env.HOSTILE === 'whole';

/** Every operation of the document; `samples` are values for its parameters. */
export const hostileOperations = (samples: Record<string, string>): HostileOperation[] =>
  Object.entries(document.paths).flatMap(([template, item]) =>
    Object.entries(item as unknown as Record<string, Documented>).map(([method, operation]) => {
      const parameters = operation.parameters ?? [];
      const sample = (name: string) => samples[name] ?? '1';
      const queryNames = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
      const content = operation.requestBody?.content ?? {};
      const json = content['application/json'];
      return {
        method: method.toUpperCase(),
        template,
        path: template.replace(/\{(\w+)\}/g, (_, name: string) => sample(name)),
        query: queryNames.map((name) => `${name}=${sample(name)}`).join('&'),
        queryNames,
        headers: () =>
          Object.fromEntries(parameters.filter((one) => one.in === 'header').map(({ name }) => [name, fieldOf(name)])),
        json: json && { places: placesIn(json.schema), example: Object.values(json.examples ?? {})[0]?.value ?? {} },
        form: 'application/x-www-form-urlencoded' in content,
      };
    }),
  );

function fieldOf(name: string): string {
  const fields: Record<string, string> = {
    'Idempotency-Key': randomUUID(),
    'If-Match': '*',
    'If-None-Match': '"none"',
  };
  if (!(name in fields)) {
    throw new Error(`test/support/hostile.ts has no value for the header ${name}: add one`);
  }
  return fields[name]!;
}

/** Where a value stands in a body: the names of members on the way to it, `0` for an element; empty for the whole. */
export interface Place {
  path: string[];
  /** Whether it has members or elements of its own. */
  inner: boolean;
}

function placesIn(schema: Schema, depth = 0): Place[] {
  const whole = resolved(schema)!;
  const { properties = {}, items, anyOf = [], allOf = [] } = depth < 6 ? whole : {};
  const below = (name: string, part: Schema) =>
    placesIn(part, depth + 1).map(({ path, inner }) => ({ path: [name, ...path], inner }));
  const parts = [
    ...Object.entries(properties).flatMap(([name, member]) => below(name, member)),
    ...(items ? below('0', items) : []),
    ...[...anyOf, ...allOf].flatMap((variant) => placesIn(variant, depth + 1)).filter(({ path }) => path.length > 0),
  ];
  return [{ path: [], inner: parts.length > 0 }, ...parts];
}

/** The example with another value in one place. */
export function withValue(example: unknown, place: string[], text: string): string {
  const mark = '\u0001';
  const put = (value: unknown, [name, ...rest]: string[]): unknown => {
    if (name === undefined) {
      return mark;
    }
    const known = typeof value === 'object' && value !== null ? value : name === '0' ? [] : {};
    const inner = put((known as Record<string, unknown>)[name], rest);
    return Array.isArray(known) ? [inner, ...(known as unknown[]).slice(1)] : { ...known, [name]: inner };
  };
  return JSON.stringify(put(example, place)).replace(JSON.stringify(mark), () => text);
}

/** As often as fits into the size, each time with another number in place of `#`. */
export const repeated =
  (unit: string, begin = '', end = '', between = ''): Shape =>
  (size) => {
    const room = size - Buffer.byteLength(begin + end);
    const length = Buffer.byteLength(unit + between);
    if (!unit.includes('#')) {
      return begin + `${unit}${between}`.repeat(Math.max(0, Math.floor(room / length) - 1)) + unit + end;
    }
    const units: string[] = [];
    for (let used = 0, n = 0; used + length + String(n).length <= room; n++) {
      units.push(unit.replace('#', String(n)));
      used += units[n]!.length + between.length;
    }
    return begin + units.join(between) + end;
  };

const nested =
  (open: string, close: string): Shape =>
  (size) => {
    const levels = Math.floor((size - 1) / (open.length + close.length));
    return `${open.repeat(levels)}1${close.repeat(levels)}`;
  };

/** Values in JSON. */
export const jsonShapes: Record<string, Shape> = {
  'a number with zeros inside': repeated('0', '1', '1'),
  'a number with zeros inside, made small': (size) => `1${'0'.repeat(size - 12)}1e-${size - 12}`,
  'a number with zeros at its end': repeated('0', '1'),
  'a number of digits': repeated('9'),
  'a fraction': repeated('0', '0.', '1'),
  'an exponent': repeated('9', '1e'),
  'an exponent of zeros': repeated('0', '1e', '1'),
  'a negative exponent': repeated('9', '-1e-'),
  'long numbers': repeated('12345678901234567890', '[', ']', ','),
  'numbers with exponents': repeated('1e18', '[', ']', ','),
  'numbers beyond all': repeated('1e999', '[', ']', ','),
  members: repeated('"k#":1', '{"name":"x","id":1,', '}', ','),
  'members with numbers for names': repeated('"#":1', '{', '}', ','),
  'members with numbers far apart for names': repeated('"#0000000":1', '{', '}', ','),
  'members with long values': repeated('"k#":1234567890123456789', '{', '}', ','),
  'a repeated member': repeated('"name":"x"', '{', '}', ','),
  'a repeated member with objects': repeated('"name":{"a":[1,{}]}', '{', '}', ','),
  'members for the prototype': repeated('"__proto__":{"constructor":1}', '{', '}', ','),
  arrays: nested('[', ']'),
  objects: nested('{"a":', '}'),
  'arrays that do not end': repeated('['),
  'objects that do not end': repeated('{"a":'),
  'wide and deep': repeated(`${'['.repeat(25)}${']'.repeat(25)}`, '[', ']', ','),
  'empty objects': repeated('{}', '[', ']', ','),
  'empty strings': repeated('""', '[', ']', ','),
  nulls: repeated('null', '[', ']', ','),
  'objects that break rules': repeated('{"id":"x","name":1}', '[', ']', ','),
  'a string': repeated('a', '"', '"'),
  'a string of spaces': repeated(' ', '"', 'x "'),
  'a string of escapes': repeated('\\n', '"', '"'),
  'a string of escaped quotes': repeated('\\"', '"', '"'),
  'a string that does not end': repeated('\\"', '"'),
  'a string of code points': repeated('\\u0041', '"', '"'),
  'a string of surrogates': repeated('\\ud83d\\ude00', '"', '"'),
  'a string of lone surrogates': repeated('\\udc00', '"', '"'),
  'a string of marks': repeated('\u0301', '"e', '"'),
  'white space': repeated(' ', '', '1'),
  'minus signs': repeated('-'),
  commas: repeated(','),
};

/** Bodies of a form. */
export const formShapes: Record<string, Shape> = {
  'a repeated parameter': repeated('&a'),
  parameters: repeated('k#=1', '', '', '&'),
  'a long value': repeated('a', 'name='),
  'a value of escapes': repeated('%41', 'name='),
  'a value of pluses': repeated('+', 'name='),
  'a name of equals signs': repeated('=', 'name'),
};

/** Header fields by name, with what their parsers might stumble over. */
export const headerShapes: [name: string, shape: Shape][] = [
  ['Accept', repeated('a/b,')],
  ['Accept', repeated(',')],
  ['Accept', repeated(',', '"')],
  ['Accept', repeated(';q=0.1', 'text/plain')],
  ['Accept', repeated('text/plain;a="b"', '', '', ',')],
  ['Accept', repeated(' ', 'text/plain', 'x')],
  ['Accept', repeated('\\"', 'a/b;c="')],
  ['Accept-Encoding', repeated('gzip;q=0.1,')],
  ['Accept-Language', repeated('en-a#,')],
  ['Access-Control-Request-Headers', repeated('a,')],
  ['Authorization', repeated('a', 'Bearer ')],
  ['Authorization', repeated(' ', 'Bearer', 'a')],
  ['Authorization', repeated('a ', 'Bearer ')],
  ['Authorization', repeated('a.', 'Bearer ')],
  ['Authorization', repeated('=', 'Bearer a', '!')],
  ['Authorization', repeated('"', 'Bearer ')],
  ['Authorization', repeated('Bearer ')],
  ['Connection', repeated('a,')],
  ['Content-Encoding', repeated('gzip,')],
  ['Content-Length', repeated('0')],
  ['Content-Type', repeated('a=b;', 'application/json;')],
  ['Content-Type', repeated(' ', 'application/json', ';')],
  ['Content-Type', repeated('\\"', 'application/json;charset="')],
  ['Content-Type', repeated('charset=utf-8;', 'application/json;')],
  ['Content-Type', repeated(';', 'application/x-www-form-urlencoded')],
  ['Cookie', repeated('a=b; ')],
  ['Cookie', repeated('session=b; ')],
  ['Cookie', repeated('a#=b; ')],
  ['Cookie', repeated(';')],
  ['Cookie', repeated('=')],
  ['Cookie', repeated('%41', 'session=')],
  ['Cookie', repeated(' ', 'session=', 'a')],
  ['Cookie', repeated('"', 'session=')],
  ['Expect', repeated('a')],
  ['Forwarded', repeated('for=1.1.1.1,')],
  ['Host', repeated('a.')],
  ['Idempotency-Key', repeated('a')],
  ['Idempotency-Key', repeated('\\"', '"', '"')],
  ['If-Match', repeated('"a",')],
  ['If-Match', repeated(', ', '"a"', 'x')],
  ['If-Match', repeated(' ', '"a"', 'x')],
  ['If-None-Match', repeated('W/"a", ')],
  ['If-None-Match', repeated('"', 'W/')],
  ['Origin', repeated('a.', 'http://')],
  ['Origin', repeated('http://a ')],
  ['Range', repeated('0-1,', 'bytes=')],
  ['TE', repeated('a,')],
  ['Upgrade', repeated('a,')],
  ['User-Agent', repeated('(', 'a')],
  ['X-Forwarded-For', repeated('1.1.1.1,')],
  ['X-Forwarded-For', repeated('a ')],
  ['X-Forwarded-For', repeated(' ', 'a', 'a')],
  ['X-Forwarded-For', repeated('::1, ')],
  ['X-Forwarded-For', repeated(':', '[')],
  ['X-Forwarded-For', repeated('1')],
  ['X-Forwarded-Host', repeated('a,')],
  ['X-Forwarded-Proto', repeated('https,')],
  ['X-Request-Id', repeated('a-')],
  ['traceparent', repeated('0-')],
];

/** Paths and queries; `path` is that of the operation. */
export const targetShapes = ({ path, template, query, queryNames }: HostileOperation): Record<string, Shape> => ({
  'repeated parameter': repeated('&a', `${path}?`),
  parameters: repeated('a#&', `${path}?`),
  'equals signs': repeated('=', `${path}?${query}`),
  'question marks': repeated('?', `${path}?`),
  'percent signs': repeated('%', `${path}?a=`),
  ...Object.fromEntries(
    queryNames.flatMap((name) => [
      [`${name} of escapes`, repeated('%41', `${path}?${name}=`)],
      [`${name} of commas`, repeated('a,', `${path}?${name}=`)],
      [`${name} of digits`, repeated('9', `${path}?${name}=`)],
      [`${name} of spaces`, repeated('+', `${path}?${name}=a`, 'a')],
      [`${name} again and again`, repeated(`${name}=a#`, `${path}?`, '', '&')],
    ]),
  ),
  slashes: repeated('/', path),
  segments: repeated('/a', path),
  dots: repeated('/..', path),
  'escaped slashes': repeated('%2F', `${path}/`),
  ...(template.includes('{')
    ? Object.fromEntries(
        ['9', '%41', '%F0%9F%90%B6', '-', '0', '.'].map((unit) => {
          const [before = '', after = ''] = template.split(/\{\w+\}/);
          return [`${unit} as a parameter`, repeated(unit, before, after)];
        }),
      )
    : {}),
});
