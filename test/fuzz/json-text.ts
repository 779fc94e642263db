import * as fc from 'fast-check';
import { resolved } from '../support/documented';

/** JSON as it will be written, so that what no JavaScript value can say stays sayable: `1e400`, repeated members. */
export type Json = { text: string } | { items: Json[] } | { members: [string, Json][] };

export function write(json: Json): string {
  if ('text' in json) {
    return json.text;
  }
  if ('items' in json) {
    return `[${json.items.map(write).join(',')}]`;
  }
  return `{${json.members.map(([name, value]) => `${JSON.stringify(name)}:${write(value)}`).join(',')}}`;
}

interface Schema {
  $ref?: string;
  anyOf?: Schema[];
  type?: string | string[];
  enum?: unknown[];
  maxLength?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}

const text = (value: unknown): Json => ({ text: JSON.stringify(value) });
const oneText = (...texts: string[]) => fc.constantFrom(...texts).map((written): Json => ({ text: written }));

/** Around 2^31, 2^53 and 2^63, exponents, fractions, and what is nearly a number. */
const NUMBERS = [
  ...['0', '-0', '1', '-1', '1.0', '1e0', '1e3', '10e-1', '0.1e1', '1E+2', '0e0', '1.5', '1e-1', '-1.5'],
  ...['2147483647', '2147483648', '-2147483648', '-2147483649', '4294967296'],
  ...['9007199254740991', '9007199254740992', '9007199254740993', '-9007199254740993', '9007199254740993.0'],
  ...['9223372036854775807', '9223372036854775808', '-9223372036854775808', '-9223372036854775809'],
  ...['922337203685477580.7e1', '1e18', '1e19', '1e30', '1e400', '-1e400', '1e-400', '123456789012345678901234567890'],
];
const NO_NUMBERS = ['01', '+1', '.5', '1.', '0x10', 'NaN', 'Infinity', '-', '1e', 'nul', 'undefined', '', "'a'"];

const STRINGS = [
  // An account that exists.
  'fuzz',
  ...[
    '',
    ' ',
    '\t\u00a0',
    'a',
    '1',
    'null',
    'true',
    '__proto__',
    'constructor',
    '\u0000',
    'a\u0000b',
    '\ud800',
    'a\udc00',
  ],
  ...[
    '\u00e9',
    'e\u0301',
    '\u212b',
    '\u00c5',
    '\ufb01',
    '\u{1f436}',
    '\u202e',
    '\ufeff',
    '\u2028',
    "'; DROP TABLE pet; --",
  ],
  ...['"', '\\', '\n', '%00', '${7*7}', '<script>', 'available', '\u0130', '\uffff'],
];

const long = (length: number) =>
  fc
    .tuple(
      fc.constantFrom('a', '\u00e9', '\u{1f436}', ' '),
      fc.constantFrom(length - 1, length, length + 1, 4 * length),
    )
    .map(([letter, count]) => letter.repeat(count));

const string = (maxLength = 255): fc.Arbitrary<Json> =>
  fc
    .oneof(
      { weight: 6, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
      { weight: 3, arbitrary: fc.constantFrom(...STRINGS) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
      { weight: 1, arbitrary: long(maxLength) },
    )
    .map(text);

const deep = fc
  .tuple(fc.constantFrom(2, 30, 31, 32, 33, 40, 2_000), fc.constantFrom(['[', ']'], ['{"a":', '}']))
  .map(([depth, [open, close]]): Json => ({ text: `${open.repeat(depth)}1${close.repeat(depth)}` }));

/** A value of whatever type, most often not of the one that belongs there. */
const anything: fc.Arbitrary<Json> = fc.oneof(
  oneText('null', 'true', 'false', '[]', '{}', '[null]', '[[]]', '[{}]', '{"id":1}', '"1"', '{"length":1}'),
  oneText(...NUMBERS),
  string(),
  { weight: 1, arbitrary: fc.json().map((written): Json => ({ text: written })) },
  { weight: 1, arbitrary: deep },
  { weight: 1, arbitrary: oneText(...NO_NUMBERS) },
);

const STRANGE_MEMBERS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'then',
  'id',
  'ID',
  'x',
  '',
];

/** What a schema asks for, with about one in ten of the values inside replaced by anything. */
export function fromSchema(given: object): fc.Arbitrary<Json> {
  return fc.oneof({ weight: 25, arbitrary: expected(given) }, { weight: 1, arbitrary: anything });
}

function expected(given: object): fc.Arbitrary<Json> {
  const schema = resolved(given as Schema)!;
  if (schema.anyOf) {
    return fc.oneof(...schema.anyOf.map(fromSchema));
  }
  if (schema.enum) {
    return fc.constantFrom(...schema.enum).map(text);
  }
  return fc.oneof(...[schema.type!].flat().map((type) => ofType(type, schema)));
}

function ofType(type: string, schema: Schema): fc.Arbitrary<Json> {
  switch (type) {
    case 'null':
      return fc.constant(text(null));
    case 'integer':
      return fc.oneof({ weight: 3, arbitrary: fc.nat({ max: 300 }).map(text) }, oneText(...NUMBERS));
    case 'string':
      return string(schema.maxLength);
    case 'array':
      return array(schema);
    default:
      return object(schema);
  }
}

function array({ items, maxItems = 100 }: Schema): fc.Arbitrary<Json> {
  const item = fromSchema(items!);
  const few = fc.array(item, { maxLength: 4 });
  const many = fc
    .tuple(item, fc.constantFrom(maxItems, maxItems + 1))
    .map(([one, length]) => Array.from({ length }, () => one));
  return fc.oneof({ weight: 60, arbitrary: few }, { weight: 1, arbitrary: many }).map((all): Json => ({ items: all }));
}

function object({ properties = {}, required = [] }: Schema): fc.Arbitrary<Json> {
  const named = Object.entries(properties).map(([name, schema]) =>
    fc
      .option(fromSchema(schema), { freq: required.includes(name) ? 30 : 1 })
      .map((value): [string, Json][] => (value === null ? [] : [[name, value]])),
  );
  const names = fc.constantFrom(...Object.keys(properties), ...STRANGE_MEMBERS);
  const strange = fc.oneof(
    { weight: 12, arbitrary: fc.constant<[string, Json][]>([]) },
    { weight: 1, arbitrary: fc.array(fc.tuple(names, anything), { minLength: 1, maxLength: 2 }) },
  );
  return fc.tuple(fc.tuple(...named), strange, fc.boolean()).map(([own, others, othersFirst]): Json => ({
    members: othersFirst ? [...others, ...own.flat()] : [...own.flat(), ...others],
  }));
}
