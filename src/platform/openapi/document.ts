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
  RANGE_NOT_SATISFIABLE,
  REQUEST_TIMEOUT,
  UNAVAILABLE,
  UNSUPPORTED_MEDIA_TYPE,
  type ProblemKind,
} from '../common/problem';
import { MAX_CONTAINERS, MAX_DEPTH } from '../common/json';
import { version } from '../common/version';
import type { Config } from '../config';
import { Operations, type Operation } from '../http';
import { describeAnswers, sharedComponents, type OperationObject, type ResponseObject } from './answers';

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
/** Failures that no operation answers. */
const NO_OPERATION = [NOT_FOUND, METHOD_NOT_ALLOWED, RANGE_NOT_SATISFIABLE];

/**
 * The OpenAPI 3.1 document. What there is, who may call it and what can go wrong comes from the table of operations;
 * members and limits come from the rules of the DTOs; what all operations share is added here.
 */
export function openApiDocument(app: INestApplication, config: Config): OpenAPIObject {
  return describe(app, config, problemsOf);
}

/** The same, with those failures of each operation that `shown` picks. */
export function describe(
  app: INestApplication,
  config: Config,
  shown: (operation: Operation) => ProblemKind[],
): OpenAPIObject {
  // Before the document is made: the table describes the members of DTO classes.
  const operations = Operations.of(app).all.filter(({ documented }) => documented);
  const { openapi, info, servers, tags, paths, components } = SwaggerModule.createDocument(app, frame(config));
  const responses: Record<string, ResponseObject> = {};
  const kinds = new Set<ProblemKind>();
  for (const operation of operations) {
    const described = paths[operation.template]![operation.method.toLowerCase() as 'get']!;
    problemsOf(operation).forEach((kind) => kinds.add(kind));
    underItsStatus(operation, described);
    describeParameters(described);
    describeBody(operation, described, config);
    describeAnswers(described, shown(operation), responses);
  }
  const { headers, schemas } = sharedComponents([...kinds], NO_OPERATION);
  return {
    openapi,
    info: { ...info, contact: { name: 'Whoever runs this service' } },
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

function frame({ publicUrl }: Config) {
  return new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Pet and User service')
    .setDescription(DESCRIPTION)
    .setVersion(version())
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer(publicUrl || '/', publicUrl ? undefined : 'Where this document was fetched')
    .addTag('user', 'Users log in and log out, and are created, one or many at once')
    .addTag('pet', 'Pets are created in version 1 and updated in version 2')
    .addBearerAuth(
      {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'opaque',
        description:
          'The string that log in answers (RFC 6750), ' +
          'or a JWT access token (RFC 9068) of the issuer that the operator trusts',
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
  'Integers of format int64 are exact, in requests and answers. Those that the server gives stay below 2^53.',
  'Unknown members are ignored; `null` for an optional member is the same as absent.',
  'Strings hold neither U+0000 nor lone surrogates.',
  'A client may send `X-Request-Id`; every answer has one.',
];
const DESCRIPTION = ['Pets and users over HTTP.\n', ...RULES.map((rule) => `* ${rule}`)].join('\n');

/** Endpoint has put the success under `default`. */
function underItsStatus({ status }: Operation, { responses }: OperationObject): void {
  if (responses.default) {
    responses[status] = responses.default;
    delete responses.default;
  }
}

/**
 * A parameter is text: it can be left out, but cannot be null as a member can. Its example stands beside its schema.
 */
function describeParameters({ parameters = [] }: OperationObject): void {
  for (const parameter of parameters as { schema: { type?: unknown; example?: unknown }; example?: unknown }[]) {
    const { schema } = parameter;
    if (Array.isArray(schema.type)) {
      [schema.type] = schema.type.filter((type) => type !== 'null') as string[];
    }
    if (schema.example !== undefined) {
      parameter.example = schema.example;
      delete schema.example;
    }
  }
}

function describeBody(operation: Operation, { requestBody }: OperationObject, config: Config): void {
  const { body } = operation;
  if (!body || !requestBody || !('content' in requestBody)) {
    return;
  }
  const { bulkLimit } = config;
  const bodyLimit = limitOf(operation, config);
  for (const type of operation.bytes) {
    requestBody.content[type] = { schema: { type: 'string', format: 'binary' } };
  }
  if (body.mediaType === 'application/json') {
    requestBody.required = true;
    requestBody.description =
      `JSON in UTF-8, at most ${bodyLimit} bytes, at most ${MAX_DEPTH} levels deep, ` +
      `at most ${MAX_CONTAINERS} objects and arrays`;
  } else if (body.mediaType === 'multipart/form-data') {
    requestBody.required = true;
    requestBody.description = `At most ${bodyLimit} bytes`;
  } else {
    requestBody.required = false;
    requestBody.description =
      `A form in UTF-8, at most ${bodyLimit} bytes; ` + 'members may come in the query too, each in one of the two';
  }
  const schema = requestBody.content[body.mediaType]?.schema;
  if (schema && 'items' in schema) {
    schema.maxItems = bulkLimit;
  }
}

const limitOf = ({ bodyLimit }: Operation, config: Config) =>
  typeof bodyLimit === 'function' ? bodyLimit(config) : (bodyLimit ?? config.bodyLimit);
