import { applyDecorators, HttpCode, SetMetadata } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiExcludeEndpoint,
  ApiHeader,
  ApiOperation,
  ApiQuery,
  ApiResponse,
  type ApiResponseOptions,
} from '@nestjs/swagger';
import { PRECONDITION_FAILED, type ProblemKind } from '../common/problem';
import { securityOf, type Access } from './access';
import { REPLAYED_HEADER } from './idempotency-key';
import { bodyOf, isRepeatable, type OperationBody } from './parameters';

/** What an operation says of itself beside Nest's own words for its path, method and parameters. */
export interface EndpointOptions {
  /** Who may call. */
  access: Access;
  /** One line for the OpenAPI document; without it the document leaves the operation out. */
  summary?: string;
  description?: string;
  /** In the OpenAPI document; the handler's name if not given. */
  operationId?: string;
  /** The success: 200 without content if nothing else is said. */
  answer?: ApiResponseOptions & { status?: number };
  /** Further statuses whose answers are more than a problem: own headers, or no body. */
  answers?: Record<number, ApiResponseOptions>;
  /** Failures beyond those that follow from access, parameters and body. */
  problems?: ProblemKind[];
  /** What parameters and bodies that break the rules are answered with: validation failed, if nothing else is said. */
  validation?: ProblemKind;
  /** Example bodies, by name. */
  examples?: Record<string, { summary: string; value: unknown }>;
  /** Of one thing that has a version: what the operation does with it. It answers an ETag, and heeds conditions. */
  versioned?: 'made' | 'read' | 'changed';
  /** Whether HEAD is answered where GET is: not where a GET changes something. */
  head?: boolean;
  /** Whether the limit on requests that are worked on holds: not for those who watch the service. */
  limited?: boolean;
  /** In the OpenAPI document, where it is not what follows from access. */
  security?: Record<string, string[]>[];
}

const ENDPOINT = 'endpoint';

const KEY_HEADER = {
  name: 'Idempotency-Key',
  description: 'Makes it safe to send again: a repeat with the same key and body is answered as the first one was',
  required: false,
  schema: { type: 'string', maxLength: 255 },
  example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
} as const;
const REPLAYED = {
  [REPLAYED_HEADER]: {
    description: 'Present on the answer to a repeat',
    schema: { type: 'string', pattern: '^true$' },
  },
} as const;
const ETAG_HEADER = {
  ETag: {
    description: 'Strong, of this version',
    required: true,
    schema: { type: 'string', pattern: '^"[0-9a-z]+"$' },
  },
};

/**
 * Makes a handler an operation. It is the one place where an operation says who may call it and what it answers;
 * a handler without it stops the start.
 */
export function Endpoint(given: EndpointOptions): MethodDecorator {
  const options = { ...given, ...whatVersionsMean(given) };
  const { summary, description, access } = options;
  const { status = 200, ...answer } = options.answer ?? {};
  return (target, key, descriptor: PropertyDescriptor) => {
    const repeatable = isRepeatable(target.constructor, key);
    const operationId = options.operationId ?? String(key);
    const decorators = [
      SetMetadata(ENDPOINT, options),
      HttpCode(status),
      ApiOperation({ operationId, summary, description, security: options.security ?? securityOf(access) }),
      ApiResponse({
        description: 'Done',
        ...answer,
        status,
        headers: { ...(repeatable && REPLAYED), ...answer.headers },
      }),
      ...Object.entries(options.answers ?? {}).map(([other, more]) => ApiResponse({ ...more, status: Number(other) })),
      ...(summary === undefined ? [ApiExcludeEndpoint()] : []),
      ...conditionHeaders(options),
      ...bodyDecorators(options, target.constructor, key),
      ...(repeatable ? [ApiHeader(KEY_HEADER)] : []),
    ];
    applyDecorators(...decorators)(target, key, descriptor);
  };
}

/** RFC 9110, 13. */
function whatVersionsMean({ versioned, answer, answers, problems = [] }: EndpointOptions): Partial<EndpointOptions> {
  if (!versioned) {
    return {};
  }
  return {
    answer: { ...answer, headers: { ...answer?.headers, ...ETAG_HEADER } },
    answers:
      versioned === 'read' ? { 304: { description: 'Not modified', headers: ETAG_HEADER }, ...answers } : answers,
    problems: versioned === 'made' ? problems : [...problems, PRECONDITION_FAILED],
  };
}

function conditionHeaders({ versioned }: EndpointOptions): MethodDecorator[] {
  const schema = { type: 'string' };
  const names = versioned === undefined || versioned === 'made' ? [] : ['If-Match', 'If-None-Match'];
  return names.map((name) => ApiHeader({ name, required: false, schema, description: 'RFC 9110, 13.1' }));
}

function bodyDecorators({ examples }: EndpointOptions, controller: object, handler: string | symbol) {
  const body = bodyOf(controller, handler);
  if (!body) {
    return [];
  }
  const { dto, isList, mediaType } = body;
  return [ApiConsumes(mediaType), ApiBody({ type: isList ? [dto] : dto, examples }), ...queryDecorators(body)];
}

/** A form may come in the query as well; its class has rules for parameters, which say the same of both. */
function queryDecorators({ mediaType, dto }: OperationBody): MethodDecorator[] {
  return mediaType === 'application/json' ? [] : [ApiQuery({ type: dto })];
}

/** Undefined for a handler that says nothing. */
export const endpointOf = (handler: object) => Reflect.getMetadata(ENDPOINT, handler) as EndpointOptions | undefined;
