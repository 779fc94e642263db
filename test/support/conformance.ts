import { appendFileSync, readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { resolve } from 'node:path';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';

/*
 * Holds every answer of every suite against openapi.json. An answer that the document does not allow fails the
 * test in which it was given; those that were given are noted for documented-answers.cjs.
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
interface Operation {
  responses: Record<string, Answer>;
}
interface Seen {
  method: string;
  path: string;
  status: number;
  headers: Map<string, string[]>;
  body: string;
}

const document = JSON.parse(readFileSync(resolve(__dirname, '../../openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};

/** What the service serves beside the operations of the document. */
const BESIDES = /^\/(docs(\/[\w.-]+)?|openapi\.json|health\/(live|ready))$/;

/** What any HTTP server may say, what helmet sets, and the CORS headers of a configured origin. */
const COMMON_HEADERS =
  /^(date|connection|keep-alive|vary|content-(type|length|security-policy)|transfer-encoding|cross-origin-.*|origin-agent-cluster|referrer-policy|strict-transport-security|x-(content-type-options|dns-prefetch-control|download-options|frame-options|permitted-cross-domain-policies|xss-protection)|access-control-.*)$/;

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema({ $id: 'openapi', ...document });
const validators = new WeakMap<object, ValidateFunction>();

let violations: string[] = [];

/** Watches a server's answers from its first request on. */
export function observe(server: Server): void {
  server.prependListener('clientError', observeSocket);
  server.prependListener('request', (req: IncomingMessage, res: ServerResponse) => {
    const chunks: Buffer[] = [];
    for (const name of ['write', 'end'] as const) {
      const original = res[name].bind(res) as (...args: unknown[]) => never;
      res[name] = ((chunk: unknown, ...rest: unknown[]) => {
        if (typeof chunk === 'string' || chunk instanceof Uint8Array) {
          chunks.push(Buffer.from(chunk as string));
        }
        const result = original(chunk, ...rest);
        if (name === 'end') {
          examine(req, res, Buffer.concat(chunks).toString());
        }
        return result;
      }) as never;
    }
  });
}

function examine(req: IncomingMessage, res: ServerResponse, body: string): void {
  const { _header: head } = res as unknown as { _header: string | null };
  // Without a head the client is gone.
  if (head !== null) {
    judge(req.method!, req.url!, head, body);
  }
}

/** What never became a request is answered on the socket itself. */
function observeSocket({ rawPacket }: { rawPacket?: Buffer }, socket: Socket): void {
  const [, method, url] = /^([A-Z]+) (\S+)/.exec(rawPacket?.toString('latin1') ?? '') ?? [];
  const end = socket.end.bind(socket) as (text: string) => Socket;
  socket.end = ((text: string) => {
    const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s);
    judge(method ?? '?', url ?? '?', head, body);
    return end(text);
  }) as never;
}

function judge(method: string, url: string, head: string, body: string): void {
  const [statusLine = '', ...lines] = head.trim().split('\r\n');
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:]+): ?(.*)$/.exec(line) ?? [];
    headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), value]);
  }
  const path = url.replace(/\?.*/s, '');
  const seen = { method, path, status: Number(statusLine.split(' ')[1]), headers, body };
  const faults = [...faultsOf(seen)];
  if (faults.length > 0) {
    violations.push(`${method} ${path} answered ${seen.status}, and ${faults.join('; ')}`);
  }
}

function* faultsOf(seen: Seen): Generator<string> {
  const operation = document.paths[seen.path]?.[seen.method.toLowerCase()];
  if (!operation) {
    yield* faultsBesides(seen);
    return;
  }
  const answer = resolved(operation.responses[seen.status]);
  if (!answer) {
    yield `openapi.json has no such status there: say so on the handler (@Raises for problems), then: npm run openapi`;
    return;
  }
  yield* headerFaults(seen, answer);
  yield* bodyFaults(seen, answer);
  note(seen);
}

/** Outside the operations there are failures, OPTIONS, and what the service serves besides. */
function* faultsBesides({ method, path, status, headers, body }: Seen): Generator<string> {
  if (method === 'OPTIONS' ? status === 204 && headers.has('allow') : status < 400 && BESIDES.test(path)) {
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
  if (seen.body === '' && (!content || isBadPetId(seen))) {
    if (type !== undefined || seen.headers.get('content-length')?.[0] !== '0') {
      yield 'an empty answer must have Content-Length: 0 and no Content-Type';
    }
  } else if (!content?.[type ?? '']) {
    yield `openapi.json does not document the content type ${type}`;
  } else {
    yield* schemaFaults('the body', content[type!]!.schema, type === 'text/plain' ? seen.body : parse(seen.body));
  }
}

/** OpenAPI cannot say that a body may be missing: update pet's 400 for a bad id has none. */
const isBadPetId = ({ method, path, status }: Seen) => `${method} ${path} ${status}` === 'PUT /v2/pet 400';

function* schemaFaults(what: string, schema: object, value: unknown): Generator<string> {
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

function resolved<T extends { $ref?: string }>(item: T | undefined): T | undefined {
  const [, ...path] = item?.$ref?.split('/') ?? [];
  return path.length === 0
    ? item
    : (path.reduce<unknown>((node, name) => (node as Record<string, unknown>)[name], document) as T);
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function note({ method, path, status, headers, body }: Seen): void {
  const folder = process.env.ANSWERS_FOLDER;
  if (folder) {
    const type = headers.get('content-type')?.[0]?.split(';')[0];
    const kind = type === 'application/problem+json' ? (parse(body) as { type: string }).type : (type ?? 'empty');
    appendFileSync(resolve(folder, String(process.pid)), `${method} ${path} ${status} ${kind}\n`);
  }
}

afterEach(() => {
  const found = violations;
  violations = [];
  if (found.length > 0) {
    throw new Error(`Answers that openapi.json does not allow:\n  ${found.join('\n  ')}`);
  }
});
