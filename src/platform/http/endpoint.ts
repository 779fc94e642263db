import { applyDecorators, HttpCode, SetMetadata } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiExcludeEndpoint,
  ApiHeader,
  ApiOperation,
  ApiResponse,
  type ApiResponseOptions,
} from '@nestjs/swagger';
import type { ProblemKind } from '../common/problem';
import type { Config } from '../config';
import { securityOf, type Access } from './access';
import type { AnswerKind } from './answers';
import { REPLAYED_HEADER } from './idempotency-key';
import { bodyOf, givePipe, isRepeatable } from './parameters';
import { RulesPipe } from './rules.pipe';

/** What an operation says of itself beside Nest's own words for its path, method and parameters. */
export interface EndpointOptions<Returned = unknown> {
  /** Who may call. */
  access: Access;
  /** One line for the OpenAPI document; without it the document leaves the operation out. */
  summary?: string;
  description?: string;
  /** In the OpenAPI document; the handler's name if not given. */
  operationId?: string;
  /** The success; if nothing else is said, without content, and with the status that Nest gives it. */
  answer?: ApiResponseOptions & { status?: number };
  /** Further statuses whose answers are more than a problem: own headers, or no body. */
  answers?: Record<number, ApiResponseOptions>;
  /** Failures beyond those that follow from access, parameters and body. */
  problems?: ProblemKind[];
  /** The answer to parameters and bodies that break the rules; VALIDATION_FAILED if not given. */
  validation?: ProblemKind;
  /** Example bodies, by name. */
  examples?: Record<string, { summary: string; value: unknown }>;
  /** The kind of Answer that the handler returns, where it is more than a body: headers and problems follow from it. */
  returns?: AnswerKind<Returned>;
  /** The largest body in bytes that the handler reads as it comes (files, a stream), if not BODY_LIMIT_BYTES. */
  bodyLimit?: number | ((config: Config) => number);
  /** Types of bodies that are taken as bytes, beside the one that the parameters declare; for the OpenAPI document. */
  bytes?: string[];
  /** Whether HEAD is answered where GET is; say false where a GET changes something. */
  head?: boolean;
  /** Whether OPERATION_LIMIT holds for it; say false for what watches the service. */
  limited?: boolean;
  /** In the OpenAPI document, where it is not what follows from access. */
  security?: Record<string, string[]>[];
}

/** Decorates a handler that returns what `returns` names. */
type HandlerDecorator<Returned> = <T extends (...parameters: never[]) => Returned | Promise<Returned>>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<T>,
) => void;

const ENDPOINT = 'endpoint';
const RULES = new RulesPipe();

const KEY_HEADER = {
  name: 'Idempotency-Key',
  description: 'Makes it safe to send again: a repeat with the same key and body is answered as the first one was',
  required: false,
  schema: { type: 'string', maxLength: 255 },
} as const;
const REPLAYED = {
  [REPLAYED_HEADER]: {
    description: 'Present on the answer to a repeat',
    schema: { type: 'string', pattern: '^true$' },
  },
} as const;
/**
 * Makes a handler an operation. It is the one place where an operation says who may call it and what it answers;
 * a handler without it stops the start.
 */
export function Endpoint<Returned = unknown>(given: EndpointOptions<Returned>): HandlerDecorator<Returned> {
  const options = withWhatFollows(given);
  const { summary, description, access } = options;
  const { status, ...answer } = options.answer ?? {};
  return (target, key, descriptor) => {
    const repeatable = isRepeatable(target.constructor, key);
    givePipe(target.constructor, key, RULES);
    const operationId = options.operationId ?? String(key);
    const decorators = [
      SetMetadata(ENDPOINT, options),
      ...(status === undefined ? [] : [HttpCode(status)]),
      ApiOperation({ operationId, summary, description, security: options.security ?? securityOf(access) }),
      ApiResponse({
        description: 'Done',
        ...answer,
        // @Post and @HttpCode may stand above this decorator and be applied later: the table fills the status in.
        status: status ?? 'default',
        headers: { ...(repeatable && REPLAYED), ...answer.headers },
      }),
      ...Object.entries(options.answers ?? {}).map(([other, more]) => ApiResponse({ ...more, status: Number(other) })),
      ...(summary === undefined ? [ApiExcludeEndpoint()] : []),
      ...(given.returns?.documented().conditions ?? []).map((header) => ApiHeader(header)),
      ...bodyDecorators(options, target.constructor, key),
      ...(repeatable ? [ApiHeader(KEY_HEADER)] : []),
    ];
    applyDecorators(...decorators)(target, key, descriptor);
  };
}

/** What follows from the kind of answer; what the operation says of itself goes before it. */
function withWhatFollows(given: EndpointOptions): EndpointOptions {
  const { headers, answers, problems = [] } = given.returns?.documented(given.answer?.status) ?? {};
  return {
    ...given,
    answer: { ...given.answer, headers: { ...headers, ...given.answer?.headers } },
    answers: { ...answers, ...given.answers },
    problems: [...(given.problems ?? []), ...problems],
  };
}

function bodyDecorators({ examples }: EndpointOptions, controller: object, handler: string | symbol) {
  const body = bodyOf(controller, handler);
  if (!body) {
    return [];
  }
  const { dto, isList, mediaType } = body;
  return [ApiConsumes(mediaType), ...(dto ? [ApiBody({ type: isList ? [dto] : dto, examples })] : [])];
}

/** Undefined for a handler that says nothing. */
export const endpointOf = (handler: object) => Reflect.getMetadata(ENDPOINT, handler) as EndpointOptions | undefined;
