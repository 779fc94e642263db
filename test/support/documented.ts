import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { match } from 'path-to-regexp';

/*
 * Says whether openapi.json allows an answer: its status, content type, headers and body.
 */

interface Header {
  $ref?: string;
  required?: boolean;
  schema?: object;
}
interface Answer {
  headers?: Record<string, Header>;
  content?: Record<string, { schema: object }>;
  $ref?: string;
}
export interface Operation {
  operationId: string;
  security: object[];
  requestBody?: { content: Record<string, { schema: object; examples?: Record<string, { value: object }> }> };
  parameters: { name: string; in: string; required?: boolean; schema: object }[];
  responses: Record<string, Answer>;
}
/** An answer as it went over the wire, and what it answers; `path` is without the query. */
export interface Seen {
  method: string;
  path: string;
  status: number;
  headers: Map<string, string[]>;
  body: string;
}

export const document = JSON.parse(readFileSync(resolve(__dirname, '../../openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};

/** In order, a literal segment comes before a parameter: a brace is behind all letters. */
const templates = Object.keys(document.paths)
  .sort()
  .map((template) => ({
    template,
    fits: match(template.replace(/{(\w+)}/g, ':$1'), { sensitive: true, decode: false }),
  }));

/** The template in the document that a path fits, as in `/v2/pet/{petId}`; undefined for every other path. */
export const templateOf = (path: string): string | undefined => templates.find(({ fits }) => fits(path))?.template;

/** What the document says of a request; GET also stands for HEAD, whose answers are the same without a body. */
export function operationAt(method: string, path: string): Operation | undefined {
  const item = document.paths[templateOf(path) ?? ''];
  return item?.[method.toLowerCase()] ?? (method === 'HEAD' ? item?.get : undefined);
}

/** What the service serves beside the operations of the document. */
const BESIDES = /^\/(docs(\/[\w.-]+)?|openapi(-3\.0)?\.json|health\/(live|ready))?\/?$/;

/** What any HTTP server may say, what helmet sets, and the CORS headers of a configured origin. */
const COMMON_HEADERS =
  /^(date|connection|cache-control|keep-alive|vary|content-(type|length|security-policy)|transfer-encoding|cross-origin-.*|origin-agent-cluster|referrer-policy|strict-transport-security|x-(content-type-options|dns-prefetch-control|download-options|frame-options|permitted-cross-domain-policies|xss-protection)|access-control-.*)$/;

const ajv = new Ajv2020({ strict: false, allErrors: true, meta: false, validateSchema: false });
addFormats(ajv);
ajv.addSchema({ $id: 'openapi', ...document });
const validators = new WeakMap<object, ValidateFunction>();

/** What the document does not allow of an answer. */
export function* faultsOf(seen: Seen): Generator<string> {
  const operation = operationAt(seen.method, seen.path);
  const hasNoHead = seen.method === 'HEAD' && [405, 501].includes(seen.status);
  if (!operation || hasNoHead) {
    yield* faultsBesides(seen);
    return;
  }
  const answer = resolved(operation.responses[seen.status]);
  if (!answer) {
    yield `openapi.json has no such status there: say so in @Endpoint of ${handlerOf(operation)}, then: npm run openapi`;
    return;
  }
  const type = problemTypeOf(seen);
  if (type !== undefined && answer.content && !JSON.stringify(answer.content ?? {}).includes(`"${type}"`)) {
    yield `openapi.json has no ${type} there: add it to problems in @Endpoint of ${handlerOf(operation)}, then: npm run openapi`;
    return;
  }
  yield* headerFaults(seen, answer);
  yield* bodyFaults(seen, answer);
}

/** The handler and the file that it stands in. */
function handlerOf({ operationId }: Operation): string {
  const says = new RegExp(`\\b${operationId}\\(|operationId: '${operationId}'`);
  const file = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((known) => join('src', known))
    .find((known) => known.endsWith('.controller.ts') && says.test(readFileSync(known, 'utf8')));
  return `${operationId} in ${file}`;
}

function problemTypeOf({ headers, body }: Seen): string | undefined {
  const isProblem = headers.get('content-type')?.[0]?.startsWith('application/problem+json');
  return isProblem ? (parse(body) as { type?: string } | undefined)?.type : undefined;
}

/** Outside the operations there are failures, OPTIONS, and what the service serves besides. */
function* faultsBesides({ method, path, status, headers, body }: Seen): Generator<string> {
  if (
    method === 'OPTIONS'
      ? status === 204 && headers.has('allow')
      : status < 400 && BESIDES.test(decodeURIComponent(path))
  ) {
    return;
  }
  if (status < 400) {
    yield 'that is no operation of openapi.json';
  } else if (method !== 'HEAD') {
    yield* schemaFaults('the body', { $ref: 'openapi#/components/schemas/Problem' }, parse(body));
  }
  if (status === 405 && !headers.has('allow')) {
    yield 'Allow is missing';
  }
}

function* headerFaults({ headers }: Seen, answer: Answer): Generator<string> {
  const documented = Object.entries(answer.headers ?? {}).map(([name, header]) => [name, resolved(header)!] as const);
  for (const [name, { required, schema }] of documented) {
    const values = headers.get(name.toLowerCase()) ?? [];
    if (required && values.length === 0) {
      yield `the header ${name} is missing`;
    }
    for (const value of values) {
      const number = (schema as { type?: string }).type === 'integer' && /^\d+$/.test(value);
      yield* schemaFaults(`the header ${name}`, schema!, number ? Number(value) : value);
    }
  }
  const known = new Set(documented.map(([name]) => name.toLowerCase()));
  for (const name of headers.keys()) {
    if (!known.has(name) && !COMMON_HEADERS.test(name)) {
      yield `openapi.json does not document the header ${name}`;
    }
  }
}

function* bodyFaults(seen: Seen, { content }: Answer): Generator<string> {
  const type = seen.headers.get('content-type')?.[0]?.split(';')[0];
  if (seen.method === 'HEAD' || seen.status === 304) {
    if (seen.body !== '') {
      yield 'it has a body';
    }
    return;
  }
  if (content === undefined && seen.body !== '' && isOfUpdatePet(seen)) {
    yield* schemaFaults('the body', { $ref: 'openapi#/components/schemas/BadRequestProblem' }, parse(seen.body));
  } else if (seen.body === '' && !content) {
    if (type !== undefined || seen.headers.get('content-length')?.[0] !== '0') {
      yield 'an empty answer must have Content-Length: 0 and no Content-Type';
    }
  } else if (!content?.[type ?? '']) {
    yield `openapi.json does not document the content type ${type}`;
  } else {
    yield* schemaFaults(
      'the body',
      content[type!]!.schema,
      /^(text\/plain|image\/\w+)$/.test(type!) ? seen.body : parse(seen.body),
    );
  }
}

/** OpenAPI cannot say that a body may be missing: update pet's 400 for a bad id has none, every other one has. */
const isOfUpdatePet = ({ method, path, status }: Seen) =>
  `${method} ${templateOf(path)} ${status}` === 'PUT /v2/pet 400';

export function* schemaFaults(what: string, schema: object, value: unknown): Generator<string> {
  let validate = validators.get(schema);
  if (!validate) {
    const absolute = JSON.stringify(schema).replaceAll('"#/', '"openapi#/');
    validate = ajv.compile(JSON.parse(absolute) as object);
    validators.set(schema, validate);
  }
  if (!validate(value)) {
    yield `${what} is ${JSON.stringify(value)}: ${ajv.errorsText(validate.errors)}`;
  }
}

export function resolved<T extends { $ref?: string }>(item: T | undefined): T | undefined {
  const [, ...path] = item?.$ref?.split('/') ?? [];
  return path.length === 0
    ? item
    : (path.reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], document) as T);
}

export function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Header lines by name in lower case. */
export function headersOf(lines: string[]): Map<string, string[]> {
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:]+): ?(.*)$/.exec(line) ?? [];
    headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), value]);
  }
  return headers;
}
