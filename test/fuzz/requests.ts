import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { STANDARD_HEADERS, type Address } from '../support/addresses';
import { document, type Operation } from '../support/documented';
import { fromSchema, write } from './json-text';

/** A request as it is sent, and what is known of it by construction. */
export interface Fuzzed {
  method: string;
  path: string;
  /** Of the operation that the request was made for, as in `/v2/pet/{petId}`. */
  template?: string;
  bytes: Buffer;
  /** The JSON text sent, where nothing but the text decides about the answer. */
  plain?: string;
  /** The JSON text that the body was made from. */
  text: string;
  /** Where the message ends by its headers: as sent, after more than is sent, or nobody knows. */
  end: 'here' | 'later' | 'unknown';
  /** After how many of its bytes the client leaves with a reset, if it does; never when it may have stored something. */
  leavesAfter?: number;
}

type Field = [name: string, value: string];

export interface Credentials {
  username: string;
  password: string;
  /** A session that nothing in here ends. */
  token: string;
}

const none = fc.constant<Field[]>([]);
const fields = (...values: Field[][]) => fc.constantFrom(...values);
const often = <T>(weight: number, usual: fc.Arbitrary<T>, unusual: fc.Arbitrary<T>) =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: unusual });

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);
const METHODS = [
  'GET',
  'HEAD',
  'OPTIONS',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'TRACE',
  'CONNECT',
  'PROPFIND',
  'QUERY',
  'FOO',
  'get',
];

const strangePath = (path: string) =>
  fc.constantFrom(
    ...[`${path}/`, `/${path}`, `${path}//`, path.toUpperCase(), path.replace('/v', '/V'), path.replace('/v2', '/v1')],
    ...[
      `${path};a=b`,
      `${path}%20`,
      `${path}%00`,
      `${path}%2f`,
      `${path}.json`,
      `${path}/..`,
      `/x/..${path}`,
      `/.${path}`,
    ],
    ...[path.replaceAll('/', '%2F'), path.replace('e', '%65'), path.replace('/', '\\'), `${path}%`, `${path}%zz`],
    ...[
      `http://localhost${path}`,
      `//evil.example${path}`,
      'a:1',
      `http://u@h${path}`,
      `${path}#a`,
      '*',
      '/',
      '',
      '/docs',
      '/docs/',
      '/openapi.json',
      '/health/live',
    ],
    ...[`${path}/${'a'.repeat(9_000)}`, `${path}\u00e9`, '/constructor', '/__proto__', '/docs/../package.json'],
  );

/** What stands in a path for an id: those that exist, those that do not, and what is none. */
const IDS = [
  ...Array.from({ length: 20 }, (_, n) => String(n + 1)),
  ...[
    '9007199254740993',
    '9223372036854775807',
    '9223372036854775808',
    '0',
    '-1',
    '01',
    '+1',
    '1.0',
    '1e3',
    'x',
    '%31',
  ],
];
/** Nobody here owns a session of ours but `keeper`, whose account must live. */
const TEXTS = [
  'fuzz',
  'nobody',
  'e%CC%81',
  'a%2Fb',
  '%00',
  '%ff',
  '%zz',
  '%20',
  '.',
  '..',
  'constructor',
  'a'.repeat(300),
];
const filled = (template: string, { parameters }: Operation): fc.Arbitrary<string> => {
  const isId = (name: string) =>
    parameters.some(
      (one) => one.in === 'path' && one.name === name && (one.schema as { type?: string }).type === 'integer',
    );
  return fc
    .tuple(...[...template.matchAll(/{(\w+)}/g)].map(([, name]) => fc.constantFrom(...(isId(name!) ? IDS : TEXTS))))
    .map((values) => values.reduce((path, value) => path.replace(/{\w+}/, () => value), template));
};

const escaped = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }).map(encodeURIComponent) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...['', '%', '%zz', '%00', '%ff', '%ed%a0%80', '%c3%a9', 'e%cc%81', '+', '%2B', 'a=b', '[]', '%26', 'null', '1'],
      ...['a'.repeat(256), '%f0%9f%90%b6'.repeat(255), 'a'.repeat(1_025), 'x'.repeat(7_000)],
    ),
  },
);
const NAMES = [
  'username',
  'password',
  'username[]',
  'password[a]',
  'Username',
  '__proto__',
  'constructor',
  'access_token',
];
const junkQuery = fc
  .array(fc.tuple(fc.constantFrom(...NAMES), escaped), { maxLength: 4 })
  .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&'));

/** Values that most operations accept, by the name of the parameter. */
const RIGHT_VALUES: Record<string, string[]> = {
  status: ['sold', 'available,pending', 'sold&status=pending', 'unknown', ''],
  tags: ['calm', 'a,b', 'calm&tags=x', ''],
  limit: ['1', '5', '1000', '1001', '0', '-1', '01', 'x'],
  cursor: ['x', 'MQ', '1', ''],
};

/** The parameters that the operation has, and now and then others, or some of them twice. */
function query({ parameters }: Operation, known: Credentials): fc.Arbitrary<string> {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  if (inQuery.length === 0) {
    return often(8, fc.constant(''), junkQuery);
  }
  const rightValue = (name: string): fc.Arbitrary<string> =>
    name === 'username' || name === 'password'
      ? fc.constant(known[name])
      : fc.constantFrom(...(RIGHT_VALUES[name] ?? ['a', 'o-1', 'dog']));
  const pair = (name: string, value: fc.Arbitrary<string>) => value.map((written) => `${name}=${written}`);
  const joined = (pairs: fc.Arbitrary<string>[]) => fc.tuple(...pairs).map((parts) => parts.join('&'));
  const right = joined(inQuery.map(({ name }) => pair(name, rightValue(name))));
  const required = joined(inQuery.filter((one) => one.required).map(({ name }) => pair(name, rightValue(name))));
  const each = joined(inQuery.map(({ name }) => pair(name, escaped)));
  const added = fc.tuple(right, junkQuery).map((parts) => parts.join('&'));
  return fc.oneof(required, right, each, added, junkQuery);
}

const BEARERS = ['', 'a b', 'x', `pus_${'A'.repeat(43)}`, '\u00e9', 'a,b', '=', '"x"'].map(
  (token) => `Bearer ${token}`,
);
const rightAuthorizations = ({ token }: Credentials): Field[][] => [
  [['Authorization', `Bearer ${token}`]],
  [['authorization', `bEARER ${token}`]],
];
const authorization = (known: Credentials, { security }: Operation): fc.Arbitrary<Field[]> => {
  const values = [...BEARERS, 'Bearer', 'Basic dTpw', '', 'Token x', `Bearer ${'x'.repeat(9_000)}`];
  const twice: Field[] = [...rightAuthorizations(known)[0]!, ['Authorization', 'Bearer x']];
  const strange = fields(...values.map((value): Field[] => [['Authorization', value]]));
  if (security.some((scheme) => 'session' in scheme)) {
    // A right one would end the session: this is log out.
    return often(2, none, strange);
  }
  const right = fields(...rightAuthorizations(known));
  const cookie = fields([['Cookie', `session=${known.token}`]], twice);
  const isNeeded = security.length > 0 && security.every((scheme) => 'bearer' in scheme);
  return often(isNeeded ? 10 : 1, right, fc.oneof(none, strange, cookie));
};

const strangeType = fields(
  ...[
    ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/jsonp', ''],
    ...[
      'application/json; charset=latin1',
      'application/json; charset=utf-16',
      'application/json;charset=',
      '*/*',
      ';',
    ],
    ...['application/merge-patch+json', 'application/json, text/plain', 'application/json; charset="', 'x'.repeat(300)],
  ].map((value): Field[] => [['Content-Type', value]]),
  [],
);
const RIGHT_TYPES = [
  ...['application/json', 'Application/JSON', 'application/json; charset=utf-8', 'application/json;charset="UTF-8"'],
].map((value): Field[] => [['Content-Type', value]]);

const FORM_TYPE: Field[] = [['Content-Type', 'application/x-www-form-urlencoded']];

const standardField = fc.constantFrom(
  ...Object.entries(STANDARD_HEADERS)
    .filter(([name]) => !['Content-Length', 'Transfer-Encoding'].includes(name))
    .flatMap(([name, values]) => values.map((value): Field => [name, value])),
);

const otherFields = fc
  .array(
    fc.oneof(
      fc.tuple(
        fc.constant('Accept'),
        fc.constantFrom('*/*', 'text/plain', 'application/json', 'image/png', '', ';q=', 'text/*;q=0.5, */*;q=0.1'),
      ),
      fc.tuple(fc.constant('X-Request-Id'), fc.constantFrom('abc-1', '', 'a b', 'x'.repeat(65), '../..', '\u00e9')),
      fc.tuple(fc.constant('Cookie'), fc.constantFrom('session=x', 'session=%', '=;;', 'session', '__proto__=x', '"')),
      standardField,
      fc.tuple(fc.constant('Expect'), fc.constantFrom('100-continue', 'x')),
      fc.tuple(fc.constant('X-Forwarded-For'), fc.constantFrom('1.2.3.4', 'x', '::1, ', '')),
      fc.tuple(fc.constant('X-HTTP-Method-Override'), fc.constantFrom('DELETE', 'GET')),
      fc.tuple(fc.constant('Origin'), fc.constantFrom('null', 'https://page.example')),
      fc.tuple(fc.constant('Connection'), fc.constantFrom('Upgrade', 'close', 'keep-alive, upgrade')),
      fc.tuple(
        fc.constantFrom('Upgrade', 'Range', 'If-None-Match', 'If-Match', 'TE', 'Trailer'),
        fc.constantFrom('*', 'h2c', 'bytes=0-', '"1"', 'W/"1", "x"', '"'),
      ),
      fc.tuple(
        fc.constantFrom('X', 'Host', 'x y', '', '__proto__'),
        fc.constantFrom('a', 'a\u0000', 'x'.repeat(17_000)),
      ),
    ),
    { maxLength: 2 },
  )
  .map((all) => all as Field[]);

interface Encoded {
  fields: Field[];
  bytes: Buffer;
}
const encodings: Record<string, (text: Buffer) => Buffer>[] = [
  { gzip: gzipSync },
  { deflate: deflateSync },
  { br: brotliCompressSync },
  { identity: (text) => text },
  { gzip: (text) => text },
  { br: (text) => gzipSync(text).subarray(0, 15) },
  { 'gzip, gzip': gzipSync },
  { lzw: (text) => text },
  { gzip: () => gzipSync(Buffer.alloc(2_000_000, 0x20)) },
];
/** Text that is not JSON any more, or not in UTF-8, or far too long. */
const corruptions: fc.Arbitrary<(text: Buffer) => Buffer>[] = [
  fc.double({ min: 0, max: 1, noNaN: true }).map((part) => (text) => text.subarray(0, Math.floor(part * text.length))),
  fc
    .constantFrom('{', ']', 'x', ',', ' ', '\ufeff', '\0')
    .map((more) => (text) => Buffer.concat([text, Buffer.from(more)])),
  fc.constant((text) => Buffer.concat([Buffer.from('\ufeff'), text])),
  fc.constant((text) => Buffer.from(text.toString(), 'utf16le')),
  fc
    .tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0xff, 0xc0, 0xed, 0x80))
    .map(([part, byte]) => (text) => {
      const changed = Buffer.concat([text, Buffer.from([0x20])]);
      changed[Math.floor(part * text.length)] = byte;
      return changed;
    }),
  fc.constant((text) => Buffer.concat([text, Buffer.alloc(1_048_577, 0x20)])),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => () => Buffer.from(bytes)),
];

type Change = (text: Buffer) => Encoded;
const encoding: fc.Arbitrary<Change> = fc
  .constantFrom(...encodings.flatMap(Object.entries<(text: Buffer) => Buffer>))
  .map(([name, apply]) => (text) => ({ fields: [['Content-Encoding', name]], bytes: apply(text) }));
const corruption: fc.Arbitrary<Change> = fc
  .oneof(...corruptions)
  .map((apply) => (text) => ({ fields: [], bytes: apply(text) }));

type Framing = 'length' | 'chunked' | 'none' | 'short' | 'long' | 'both' | 'twice' | 'wrong';
const frame = (bytes: Buffer, framing: Framing): { fields: Field[]; bytes: Buffer } => {
  const length = (count: number | string): Field => ['Content-Length', String(count)];
  const chunked: Field = ['Transfer-Encoding', 'chunked'];
  const end = Buffer.from('0\r\n\r\n');
  const chunk = Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n'), end]);
  const ways: Record<Framing, { fields: Field[]; bytes: Buffer }> = {
    length: { fields: [length(bytes.length)], bytes },
    chunked: { fields: [chunked], bytes: bytes.length === 0 ? end : chunk },
    none: { fields: [], bytes: Buffer.alloc(0) },
    short: { fields: [length(Math.max(0, bytes.length - 1))], bytes },
    long: { fields: [length(bytes.length + 1)], bytes },
    both: { fields: [length(bytes.length), chunked], bytes: chunk },
    twice: { fields: [length(bytes.length), length(bytes.length + 1)], bytes },
    wrong: { fields: [length('-1')], bytes },
  };
  return ways[framing];
};
const FRAMED: Framing[] = ['length', 'length', 'length', 'length', 'chunked', 'none'];
const UNFRAMED: Framing[] = ['short', 'long', 'both', 'twice', 'wrong'];

/** Requests to every operation of the document and to what is served besides: most nearly right, each wrong in one place or a few. */
export const fuzzedRequest = (known: Credentials, besides: Address[]): fc.Arbitrary<Fuzzed> =>
  fc.oneof(...[...operations, ...besides.map(undocumented)].map((operation) => requestTo(operation, known)));

const undocumented = ({ method, path }: Address) => ({
  method,
  path,
  operation: { operationId: '', security: [], parameters: [], responses: {} } as Operation,
});

const formBody = fc
  .array(
    fc.tuple(fc.constantFrom('name', 'status', 'x', '__proto__'), fc.oneof(escaped, fc.constantFrom('sold', 'Max'))),
    {
      maxLength: 3,
    },
  )
  .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&'));

function requestTo(made: (typeof operations)[number], known: Credentials): fc.Arbitrary<Fuzzed> {
  return filled(made.path, made.operation).chain((path) => requestAt(path, made, known));
}

function requestAt(
  path: string,
  { method, path: template, operation }: (typeof operations)[number],
  known: Credentials,
): fc.Arbitrary<Fuzzed> {
  const rights = new Set(rightAuthorizations(known).map((auth) => JSON.stringify(auth)));
  const { 'application/json': json, 'application/x-www-form-urlencoded': form } = operation.requestBody?.content ?? {};
  const schema = json?.schema;
  const line = fc.record({
    verb: often(40, fc.constant(method), fc.constantFrom(...METHODS)),
    target: often(40, fc.constant(path), strangePath(path)),
    search: query(operation, known),
    version: often(200, fc.constant('1.1'), fc.constantFrom('1.0', '2.0', '0.9', '3.1')),
  });
  const head = fc.record({
    auth: authorization(known, operation),
    type: form
      ? often(15, fields(FORM_TYPE), strangeType)
      : schema
        ? often(15, fields(...RIGHT_TYPES), strangeType)
        : often(10, none, strangeType),
    others: often(4, none, otherFields),
  });
  const text = form
    ? often(2, formBody, fc.constant(''))
    : schema
      ? fromSchema(schema).map(write)
      : often(20, fc.constant(''), fc.constant('{}'));
  const change = often(
    10,
    fc.constant(undefined),
    schema || form ? fc.oneof(encoding, corruption) : fc.constant(undefined),
  );
  const content = fc.tuple(text, change).map(([written, changed]) => {
    const sent = changed?.(Buffer.from(written)) ?? { fields: [], bytes: Buffer.from(written) };
    return { text: written, sent, whole: changed === undefined };
  });
  const framing = often(40, fc.constantFrom(...FRAMED), fc.constantFrom(...UNFRAMED));
  const leaving = often(25, fc.constant(undefined), fc.double({ min: 0, max: 1, noNaN: true }));

  return fc.tuple(line, head, content, framing, leaving).map(([first, headers, body, frameAs, part]) => {
    const { verb, target, search, version } = first;
    const { auth, type, others } = headers;
    const framed = frame(body.sent.bytes, body.text === '' && frameAs === 'length' ? 'none' : frameAs);
    const all = [['Host', 'localhost'], ...auth, ...type, ...body.sent.fields, ...others, ...framed.fields];
    const start = `${verb} ${search === '' ? target : `${target}?${search}`} HTTP/${version}`;
    const lines = [start, ...all.map(([name, value]) => `${name}: ${value}`), '', ''];
    const onlyTheBodyMatters =
      schema !== undefined &&
      [verb === method, target === path, path === template, version === '1.1', others.length === 0, body.whole].every(
        Boolean,
      ) &&
      RIGHT_TYPES.includes(type) &&
      rights.has(JSON.stringify(auth)) &&
      (frameAs === 'length' || frameAs === 'chunked');
    const bytes = Buffer.concat([Buffer.from(lines.join('\r\n')), framed.bytes]);
    const mayLeave = part !== undefined && FRAMED.includes(frameAs);
    return {
      method: verb,
      path: target.replace(/^http:\/\/[^/]*/, ''),
      template,
      bytes,
      // Without its last byte a request is not whole; where nothing can be stored, a whole one may be left too.
      leavesAfter: mayLeave ? Math.floor(part * (bytes.length - (verb === 'GET' ? 0 : 1))) : undefined,
      text: body.text,
      plain: onlyTheBodyMatters ? body.text : undefined,
      end: frameAs === 'long' ? 'later' : UNFRAMED.includes(frameAs) ? 'unknown' : 'here',
    };
  });
}
