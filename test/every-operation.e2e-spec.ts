import { OutcomeUnknown, Overloaded, Unavailable } from '../src/platform/common/problem';
import { failWith } from './support/asked-database';
import { accessPolicy, exampleRequests, named, type ExampleRequest } from './support/example-requests';
import { exchange } from './support/exchange';
import { holdWrites } from './support/held-writes';
import { startApp, tokenFor, type RunningApp } from './support/start-app';

/*
 * What holds for every operation of the document. Each request is the document's own first example; that the
 * answers are as documented is checked by support/conformance.ts.
 */

const withBody = named(exampleRequests.filter(({ body }) => body));
const withToken = named(exampleRequests.filter(({ token }) => token));
const withDoor = named(exampleRequests.filter(({ token }) => token === 'optional'));
const repeatable = named(exampleRequests.filter(({ isRepeatable, body }) => isRepeatable && body !== undefined));
const all = named(exampleRequests);

let running: RunningApp;
let guarded: RunningApp;
let closed: RunningApp;
let token: string;
beforeAll(async () => {
  running = await startApp();
  guarded = await startApp(accessPolicy('token'));
  closed = await startApp(accessPolicy('closed'));
});
beforeEach(async () => {
  await running.empty();
  token = await tokenFor(running, 'caller');
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => Promise.all([running, guarded, closed].map((app) => app.stop())));

function call({ method, path, body, contentType }: ExampleRequest, change: RequestInit = {}, app = running) {
  return fetch(app.url + path, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(contentType && { 'Content-Type': contentType }),
      ...(change.headers as object),
    },
    body: change.body ?? body,
  });
}

const problem = async (answer: Response) => {
  const { type } = (await answer.json()) as { type: string };
  return `${answer.status} ${type}`;
};

it.each(withBody)('%s answers 413, 415 and 400 to a body that it cannot take', async (_, operation) => {
  const isJson = operation.contentType === 'application/json';
  const answers: Record<string, RequestInit> = {
    '413 /problems/body-too-large': { body: ' '.repeat(1_048_577) },
    '415 /problems/unsupported-media-type': { headers: { 'Content-Type': 'text/plain' } },
    ...(isJson && { '400 /problems/malformed-json': { body: '{' } }),
    '400 /problems/bad-request': { headers: { 'Content-Encoding': 'gzip' } },
  };
  for (const [expected, change] of Object.entries(answers)) {
    expect(await problem(await call(operation, change))).toBe(expected);
  }
});

it.each(withToken)('%s answers 401 and 400 before anything else', async (_, operation) => {
  const authorization = (value: string) => ({ headers: { Authorization: value } });
  expect(await problem(await call(operation, authorization(''), guarded))).toBe('401 /problems/unauthorized');
  expect(await problem(await call(operation, authorization('Bearer a b'), guarded))).toBe(
    '400 /problems/malformed-authorization',
  );
});

const failures = [
  [new Overloaded(), '503 /problems/overloaded', '1'],
  [new Unavailable('canary'), '503 /problems/unavailable', '1'],
  [new OutcomeUnknown('canary'), '504 /problems/outcome-unknown', null],
  [new Error('canary'), '500 /problems/internal-error', null],
] as const;

it.each(all)('%s answers 503, 504 and 500 when the database fails it', async (_, operation) => {
  for (const [failure, expected, retryAfter] of failures) {
    failWith(running.database, failure);
    const answer = await call(operation);
    const body = await answer.clone().text();
    expect([await problem(answer), answer.headers.get('retry-after')]).toEqual([expected, retryAfter]);
    expect(body).not.toContain('canary');
    jest.restoreAllMocks();
  }
});

it.each(withDoor)('%s answers 403 when closed', async (_, operation) => {
  expect(await problem(await call(operation, {}, closed))).toBe('403 /problems/closed');
});

it.each(repeatable)('%s answers 409 and 422 to a key that is in use or was used', async (_, operation) => {
  const keyed = (change: RequestInit = {}) => call(operation, { ...change, headers: { 'Idempotency-Key': 'k' } });
  const release = await holdWrites(running);
  const racing = [keyed(), keyed()];
  // Whichever of the two comes first has to wait for its write.
  expect(await problem(await Promise.race(racing))).toBe('409 /problems/still-running');
  await release();
  await Promise.all(racing);
  const body = JSON.parse(operation.body!) as object;
  const other = Array.isArray(body) ? [] : { ...body, name: 'another', username: 'another' };
  expect(await problem(await keyed({ body: JSON.stringify(other) }))).toBe('422 /problems/idempotency-key-reused');
});

it.each(all)('%s answers 431, 400 and 501 to heads that it cannot take', async (_, { method, path }) => {
  const head = (headers: string) =>
    exchange(running.url, `${method} ${path} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`);
  expect(await head(`Host: localhost\r\nX: ${'a'.repeat(16_384)}\r\n`)).toMatch(/^HTTP\/1\.1 431 /);
  expect(await head('')).toMatch(/^HTTP\/1\.1 400 /);
  expect(await head('Host: localhost\r\nTransfer-Encoding: gzip, chunked\r\n')).toMatch(/^HTTP\/1\.1 501 /);
});

it('answers 408 to every body that does not come to its end in time', async () => {
  const impatient = await startApp({ REQUEST_TIMEOUT_MS: '100' });
  const headers = `Host: localhost\r\nAuthorization: Bearer ${await tokenFor(impatient)}\r\n`;
  const half = (type: string) => `${headers}Content-Type: ${type}\r\nContent-Length: 14\r\n\r\n{"na`;
  const answers = await Promise.all(
    withBody.map(([, { method, path, contentType }]) =>
      exchange(impatient.url, `${method} ${path} HTTP/1.1\r\n${half(contentType!)}`),
    ),
  );
  for (const answer of answers) {
    expect(answer).toMatch(/^HTTP\/1\.1 408 .*request-timeout/s);
  }
  await impatient.stop();
});
