import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import {
  BAD_REQUEST,
  BODY_TOO_LARGE,
  HEADERS_TOO_LARGE,
  INTERNAL_ERROR,
  MALFORMED_JSON,
  METHOD_NOT_ALLOWED,
  NOT_FOUND,
  NOT_IMPLEMENTED,
  OUTCOME_UNKNOWN,
  OVERLOADED,
  REQUEST_TIMEOUT,
  UNAVAILABLE,
  UNSUPPORTED_MEDIA_TYPE,
  type ProblemKind,
} from '../common/problem';
import { MAX_CONTAINERS, MAX_DEPTH } from '../common/json';
import { version } from '../common/version';
import type { Config } from '../config';
import { Operations, REQUEST_ID, type Operation } from '../http';

type OperationObject = OpenAPIObject['paths'][string]['get'] & object;
type ResponseObject = Exclude<
  NonNullable<NonNullable<OpenAPIObject['components']>['responses']>[string],
  { $ref: string }
>;

/** Every operation may meet these. */
export const ANY_OPERATION = [
  BAD_REQUEST,
  HEADERS_TOO_LARGE,
  INTERNAL_ERROR,
  NOT_IMPLEMENTED,
  OVERLOADED,
  UNAVAILABLE,
  OUTCOME_UNKNOWN,
];
export const ANY_BODY = [REQUEST_TIMEOUT, BODY_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE];
/** Answered before a request reaches an operation. */
const NO_OPERATION = [NOT_FOUND, METHOD_NOT_ALLOWED];

/**
 * The OpenAPI 3.1 document: what there is, who may call it and what can go wrong comes from the table of operations,
 * members and limits from the rules of the DTOs; what all operations share is added here.
 */
export function openApiDocument(app: INestApplication, config: Config): OpenAPIObject {
  return describe(app, config, problemsOf);
}

/** The same, with the failures that `told` names at each operation. */
export function describe(
  app: INestApplication,
  config: Config,
  told: (operation: Operation) => ProblemKind[],
): OpenAPIObject {
  const { openapi, info, servers, tags, paths, components } = SwaggerModule.createDocument(app, frame());
  const responses: Record<string, ResponseObject> = {};
  const kinds = new Map(NO_OPERATION.map((kind) => [kind.type, kind]));
  for (const operation of Operations.of(app).all.filter(({ documented }) => documented)) {
    const described = paths[operation.template]![operation.method.toLowerCase() as 'get']!;
    problemsOf(operation).forEach((kind) => kinds.set(kind.type, kind));
    describeParameters(described);
    describeBody(operation, described, config);
    describeAnswers(described, told(operation), responses);
  }
  const { headers, schemas } = shared([...kinds.values()]);
  return {
    openapi,
    info,
    servers,
    tags,
    paths,
    components: { ...components, headers, responses, schemas: { ...components?.schemas, ...schemas } },
  };
}

function problemsOf({ problems, body }: Operation): ProblemKind[] {
  const ofBody = body ? [...(body.mediaType === 'application/json' ? [MALFORMED_JSON] : []), ...ANY_BODY] : [];
  return [...problems, ...ANY_OPERATION, ...ofBody];
}

function frame() {
  return new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Pet and User service')
    .setDescription(DESCRIPTION)
    .setVersion(version())
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/', 'Where this document was fetched')
    .addTag('user', 'Users log in and log out, and are created, one or many at once')
    .addTag('pet', 'Pets are created in version 1 and updated in version 2')
    .addBearerAuth(
      {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'opaque',
        description:
          'The string that log in answers (RFC 6750); or a JWT access token (RFC 9068) of the issuer that the operator trusts',
      },
      'bearer',
    )
    .addCookieAuth('session', { type: 'apiKey', description: 'Set by log in; only log out reads it' }, 'session')
    .build();
}

/** What holds for every operation, in Markdown. */
export const RULES = [
  'Success without content is 200 with zero bytes.',
  'Failures are `application/problem+json` (RFC 9457). The 400 of update pet for a bad id alone has no body.',
  'An unknown address answers 404, another method on a known address 405 with `Allow`, OPTIONS 204 with `Allow`.',
  'Integers of format int64 are exact, in requests and answers.',
  'Unknown members are ignored; `null` for an optional member is the same as absent.',
  'Strings hold neither U+0000 nor lone surrogates.',
  'A client may send `X-Request-Id`; every answer has one.',
];
const DESCRIPTION = ['Pets and users over HTTP.\n', ...RULES.map((rule) => `* ${rule}`)].join('\n');

/** A parameter is text: unlike a member it can be left out, but not be null. */
function describeParameters({ parameters = [] }: OperationObject): void {
  for (const parameter of parameters) {
    const schema = 'schema' in parameter ? (parameter.schema as { type?: unknown }) : {};
    if (Array.isArray(schema.type)) {
      [schema.type] = schema.type.filter((type) => type !== 'null') as string[];
    }
  }
}

function describeBody({ body }: Operation, { requestBody }: OperationObject, config: Config): void {
  if (!body || !requestBody || !('content' in requestBody)) {
    return;
  }
  const { bodyLimit, bulkLimit } = config;
  if (body.mediaType === 'application/json') {
    requestBody.required = true;
    requestBody.description = `JSON in UTF-8, at most ${bodyLimit} bytes, at most ${MAX_DEPTH} levels deep, at most ${MAX_CONTAINERS} objects and arrays`;
  } else {
    requestBody.required = false;
    requestBody.description = `A form in UTF-8, at most ${bodyLimit} bytes; without it the query is read`;
  }
  const schema = requestBody.content[body.mediaType]?.schema;
  if (schema && 'items' in schema) {
    schema.maxItems = bulkLimit;
  }
}

/** An answer of a single problem is alike everywhere, and goes into `shared`. */
function describeAnswers(
  operation: OperationObject,
  raised: ProblemKind[],
  shared: Record<string, ResponseObject>,
): void {
  const answers = operation.responses;
  for (const status of new Set(raised.map((kind) => kind.status))) {
    const kinds = raised.filter((kind) => kind.status === status);
    const own = answers[status] as ResponseObject | undefined;
    if (own === undefined && kinds.length === 1) {
      const name = componentName(kinds[0]!);
      const answer = problemAnswer(kinds);
      shared[name] = { ...answer, headers: { ...REQUEST_ID_HEADER, ...answer.headers } };
      answers[status] = { $ref: `#/components/responses/${name}` };
    } else {
      const answer = problemAnswer(kinds, own?.description);
      answers[status] = { ...answer, headers: { ...answer.headers, ...own?.headers } };
    }
  }
  for (const [status, answer] of Object.entries(answers)) {
    if (answer && !('$ref' in answer)) {
      const length = answer.content || status === '304' ? {} : NO_LENGTH;
      answer.headers = { ...REQUEST_ID_HEADER, ...length, ...answer.headers };
    }
  }
}

const componentName = ({ type }: ProblemKind) =>
  type.replace('/problems/', '').replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());

function problemAnswer(kinds: ProblemKind[], own?: string): ResponseObject {
  const { status } = kinds[0]!;
  const types = { type: { enum: kinds.map(({ type }) => type) }, status: { enum: [status] } };
  const [first, ...others] = [...(own ? [own] : []), ...kinds.map(({ title, meaning }) => `${title}: ${meaning}`)];
  return {
    description: others.length === 0 ? first! : [first, ...others].map((line) => `* ${line}`).join('\n'),
    headers: HEADERS[status],
    content: {
      'application/problem+json': {
        schema: { allOf: [{ $ref: '#/components/schemas/Problem' }, { type: 'object', properties: types }] },
        examples: Object.fromEntries(kinds.map((kind) => [kind.type.replace(/.*\//, ''), { value: exampleOf(kind) }])),
      },
    },
  };
}

const exampleOf = ({ type, title, status, meaning }: ProblemKind) => ({
  type,
  title,
  status,
  detail: meaning,
  requestId: '7c1d3a1e-5b0f-4c55-9d55-0f6a8f0d2f11',
});

const NO_LENGTH = { 'Content-Length': { required: true, schema: { type: 'integer', enum: [0] } } };
const REQUEST_ID_HEADER = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } };

const header = (name: string, required: boolean) => ({ [name]: { required, schema: { type: 'string' } } });

/** What comes with a status, on every operation. */
const HEADERS: Record<number, ResponseObject['headers']> = {
  400: header('WWW-Authenticate', false),
  401: header('WWW-Authenticate', true),
  403: header('WWW-Authenticate', false),
  405: header('Allow', true),
  409: header('Retry-After', false),
  415: { ...header('Accept', false), ...header('Accept-Post', false), ...header('Accept-Encoding', false) },
  429: header('Retry-After', true),
  503: header('Retry-After', true),
};

const text = (example: string) => ({ type: 'string', examples: [example] });

/** The components that no DTO stands for. */
const shared = (kinds: ProblemKind[]) => ({
  headers: {
    RequestId: {
      description: "The client's own X-Request-Id if it has this form, else one made for this request",
      required: true,
      schema: { type: 'string', pattern: REQUEST_ID.source },
    },
  },
  schemas: {
    Problem: {
      type: 'object',
      description: 'RFC 9457',
      required: ['type', 'title', 'status', 'detail', 'requestId'],
      properties: {
        type: { type: 'string', format: 'uri-reference', enum: kinds.map(({ type }) => type).sort() },
        title: text('Pet not found'),
        status: { type: 'integer', minimum: 400, maximum: 599 },
        detail: text('There is no pet with this id.'),
        requestId: { type: 'string', pattern: REQUEST_ID.source },
        errors: { type: 'array', items: { $ref: '#/components/schemas/Fault' } },
      },
    },
    Fault: {
      type: 'object',
      description: 'What is wrong with one member or parameter',
      required: ['pointer', 'detail'],
      properties: {
        pointer: { ...text('/3/email'), description: "JSON Pointer into the body (RFC 6901), or the parameter's name" },
        detail: text('must not be empty'),
      },
    },
  },
});
