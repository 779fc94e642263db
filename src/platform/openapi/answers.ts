import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { ProblemKind } from '../common/problem';
import { REQUEST_ID } from '../http';

export type OperationObject = OpenAPIObject['paths'][string]['get'] & object;
export type ResponseObject = Exclude<
  NonNullable<NonNullable<OpenAPIObject['components']>['responses']>[string],
  { $ref: string }
>;

/**
 * Describes the failures of an operation. An answer of a single problem is alike everywhere, and goes into `shared`.
 */
export function describeAnswers(
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
      const { content, ...answer } = problemAnswer(kinds, own?.description);
      // Where the operation says that there is no content, since there may be some or none, it stays so.
      const described = own?.content ? answer : { ...answer, content };
      answers[status] = { ...described, headers: { ...answer.headers, ...own?.headers } };
    }
  }
  for (const [status, answer] of Object.entries(answers)) {
    if (answer && !('$ref' in answer)) {
      const length = answer.content || Number(status) >= 300 ? {} : NO_LENGTH;
      answer.headers = { ...REQUEST_ID_HEADER, ...length, ...answer.headers };
    }
  }
}

const componentName = ({ type }: ProblemKind) =>
  type.replace('/problems/', '').replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());

function problemAnswer(kinds: ProblemKind[], own?: string): ResponseObject {
  const { status } = kinds[0]!;
  const [first, ...others] = [...(own ? [own] : []), ...kinds.map(({ title, meaning }) => `${title}: ${meaning}`)];
  return {
    description: others.length === 0 ? first! : [first, ...others].map((line) => `* ${line}`).join('\n'),
    headers: HEADERS[status],
    content: {
      'application/problem+json': {
        schema: { $ref: `#/components/schemas/${schemaName(status)}` },
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

/** One schema for each status, which generators make one type of; the examples say which kinds an operation has. */
const schemaName = (status: number) => `${STATUS_CODES[status]!.replace(/\W/g, '')}Problem`;

const problemSchema = (kinds: ProblemKind[], status: number) => ({
  allOf: [
    { $ref: '#/components/schemas/Problem' },
    {
      type: 'object',
      required: ['type', 'status'],
      properties: {
        type: { type: 'string', enum: typesOf(kinds.filter((kind) => kind.status === status)) },
        status: { type: 'integer', enum: [status] },
      },
    },
  ],
});

const typesOf = (kinds: ProblemKind[]) => [...new Set(kinds.map(({ type }) => type))].sort();

const text = (example: string) => ({ type: 'string', examples: [example] });

/** The components that no DTO stands for; of the problems of no operation there are no answers. */
export const sharedComponents = (kinds: ProblemKind[], ofNoOperation: ProblemKind[]) => ({
  headers: {
    RequestId: {
      description: "The client's own X-Request-Id if it has this form, else one made for this request",
      required: true,
      schema: { type: 'string', pattern: REQUEST_ID.source },
    },
  },
  schemas: {
    ...Object.fromEntries(
      [...new Set(kinds.map(({ status }) => status))]
        .sort()
        .map((status) => [schemaName(status), problemSchema(kinds, status)]),
    ),
    Problem: {
      type: 'object',
      description: 'RFC 9457',
      required: ['type', 'title', 'status', 'detail', 'requestId'],
      properties: {
        type: { type: 'string', format: 'uri-reference', enum: typesOf([...kinds, ...ofNoOperation]) },
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
