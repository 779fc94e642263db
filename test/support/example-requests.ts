import { document } from './documented';

/** A request for an operation of the document, with the document's own first example as its body. */
export interface ExampleRequest {
  /** `POST /v2/pet/{petId}` */
  name: string;
  method: string;
  /** With values for its parameters, and the query that it needs. */
  path: string;
  contentType: string | undefined;
  body: string | undefined;
  /** Whether it takes a token always, or where the operator wants one. */
  token: 'needed' | 'optional' | undefined;
  /** Whether it accepts an Idempotency-Key. */
  isRepeatable: boolean;
}

interface Operation {
  security: Record<string, unknown>[];
  parameters?: { name: string }[];
  requestBody?: { content: Record<string, { examples?: Record<string, { value: object }> }> };
}

/** Where a path's parameters and required queries come from; `caller` is a user with the password `right`. */
const VALUES: Record<string, string> = { petId: '1', username: 'caller' };
const QUERIES: Record<string, string> = {
  'GET /v2/user/login': 'username=caller&password=right',
  'GET /v2/pet/findByStatus': 'status=sold',
  'GET /v2/pet/findByTags': 'tags=calm',
};

export const exampleRequests: ExampleRequest[] = Object.entries(document.paths).flatMap(([template, item]) =>
  Object.entries(item as unknown as Record<string, Operation>).map(
    ([verb, { security, requestBody, parameters = [] }]) => {
      const method = verb.toUpperCase();
      const name = `${method} ${template}`;
      const [[contentType, content] = []] = Object.entries(requestBody?.content ?? {});
      const [example] = Object.values(content?.examples ?? {});
      const path = template.replace(/{(\w+)}/g, (_, parameter: string) => VALUES[parameter]!);
      // Log out reads a token, and works without.
      const bearer = security.some((scheme) => 'bearer' in scheme) && !security.some((scheme) => 'session' in scheme);
      return {
        name,
        method,
        path: QUERIES[name] ? `${path}?${QUERIES[name]}` : path,
        contentType,
        body:
          contentType === 'application/x-www-form-urlencoded' ? 'name=Max' : example && JSON.stringify(example.value),
        token: !bearer
          ? undefined
          : security.some((scheme) => Object.keys(scheme).length === 0)
            ? 'optional'
            : 'needed',
        isRepeatable: parameters.some((parameter) => parameter.name === 'Idempotency-Key'),
      };
    },
  ),
);

/** Settings under which every door takes a token, or none opens. */
export const doors = (door: 'token' | 'closed') => ({ PET_CREATION: door, PET_READING: door, USER_CREATION: door });

/** For `it.each`. */
export const named = (some: ExampleRequest[]) => some.map((request) => [request.name, request] as const);
