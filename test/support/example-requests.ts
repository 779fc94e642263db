import { SETTINGS, settingsIn } from '../../src/platform/config';
import { document, type Operation } from './documented';

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
  /** Whether it takes an Idempotency-Key. */
  isRepeatable: boolean;
}

/** What the document's own parameters are called with; `caller` is a user with the password `right`. */
const VALUES: Record<string, string> = { username: 'caller', password: 'right' };

interface Schema {
  type?: string;
  enum?: string[];
  items?: Schema;
}

/** A value that the rules of a parameter allow. */
const valueOf = (name: string, schema: Schema): string =>
  VALUES[name] ??
  schema.enum?.[0] ??
  (schema.items ? valueOf('', schema.items) : schema.type === 'integer' ? '1' : 'a');

function addressOf(template: string, { parameters }: Operation): string {
  const needed = (place: string) =>
    parameters
      .filter((parameter) => parameter.in === place && parameter.required)
      .map(({ name, schema }) => [name, encodeURIComponent(valueOf(name, schema))] as const);
  const path = needed('path').reduce((at, [name, value]) => at.replace(`{${name}}`, value), template);
  const query = needed('query').map((pair) => pair.join('='));
  return query.length > 0 ? `${path}?${query.join('&')}` : path;
}

export const exampleRequests: ExampleRequest[] = Object.entries(document.paths).flatMap(([template, item]) =>
  Object.entries(item).map(([verb, operation]) => {
    const { security, requestBody, parameters } = operation;
    const method = verb.toUpperCase();
    const name = `${method} ${template}`;
    const [[contentType, content] = []] = Object.entries(requestBody?.content ?? {});
    const [example] = Object.values(content?.examples ?? {});
    // Log out reads a token, and works without.
    const bearer = security.some((scheme) => 'bearer' in scheme) && !security.some((scheme) => 'session' in scheme);
    return {
      name,
      method,
      path: addressOf(template, operation),
      contentType,
      body: contentType === 'application/x-www-form-urlencoded' ? 'name=Max' : example && JSON.stringify(example.value),
      token: !bearer ? undefined : security.some((scheme) => Object.keys(scheme).length === 0) ? 'optional' : 'needed',
      isRepeatable: parameters.some((parameter) => parameter.name === 'Idempotency-Key'),
    };
  }),
);

/** Settings under which whatever an operator can close takes a token, or is closed. */
export const accessPolicy = (policy: 'token' | 'closed') =>
  Object.fromEntries(settingsIn(SETTINGS.accessPolicy).map(({ name }) => [name, policy]));

/** For `it.each`. */
export const named = (some: ExampleRequest[]) => some.map((request) => [request.name, request] as const);
