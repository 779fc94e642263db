import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { startApp, type RunningApp } from './support/start-app';

const project = (file: string) => readFileSync(resolve(__dirname, '..', file), 'utf8');
const document = JSON.parse(project('openapi.json'));

let running: RunningApp;
beforeAll(async () => (running = await startApp()));
afterAll(() => running.stop());

it.each(['openapi.json', 'openapi-3.0.json'])('serves %s as it is in the repository', async (file) => {
  const { body, headers } = await running.http.get(`/${file}`).expect(200);
  expect(headers['content-type']).toMatch('application/json');
  const stale = differences(body, JSON.parse(project(file)));
  expect(stale.map((at) => `${file} is stale at ${at}: npm run openapi`)).toEqual([]);
});

it('says in its edition 3.0 nothing in the words of 3.1', () => {
  const edition = project('openapi-3.0.json');
  expect(JSON.parse(edition).openapi).toBe('3.0.3');
  expect(edition).not.toMatch(/"type": (\[|"null")|"examples": \[|"const"/);
});

it('names operations and schemas as the public Petstore does', () => {
  interface Described {
    operationId: string;
    description?: string;
  }
  const operations = Object.values<Record<string, Described>>(document.paths).flatMap((item) => Object.values(item));
  const ids = new Set(operations.map(({ operationId }) => operationId));
  const publicIds = ['loginUser', 'logoutUser', 'createUsersWithListInput', 'createUsersWithArrayInput', 'createUser'];
  expect(publicIds.filter((id) => !ids.has(id))).toEqual([]);
  expect(operations.filter(({ description }) => !description)).toEqual([]);
  const names = Object.keys(document.components.schemas);
  expect(names).toEqual(expect.arrayContaining(['Pet', 'PetV1', 'Category', 'Tag', 'User']));
  expect(names.filter((name) => name.endsWith('Dto'))).toEqual([]);
  expect(document.components.schemas.Pet.required).toContain('photoUrls');
});

it('has an example of every text that a client may put into an address', () => {
  interface Parameter {
    name: string;
    in: string;
    example?: unknown;
    schema: { type: string; default?: unknown; enum?: unknown };
  }
  const operations = Object.values<Record<string, { parameters?: Parameter[] }>>(document.paths).flatMap((item) =>
    Object.values(item),
  );
  const parameters = operations.flatMap((operation) => operation.parameters ?? []);
  const withoutOne = parameters.filter(
    ({ name, in: place, example, schema }) =>
      ['path', 'query'].includes(place) &&
      // The page before gives the one; the other comes in the form or in the query, and pages fill in both.
      !['cursor', 'additionalMetadata'].includes(name) &&
      (example ?? schema.default ?? schema.enum) === undefined,
  );
  expect(parameters.length).toBeGreaterThan(10);
  expect(withoutOne.map(({ name }) => name)).toEqual([]);
});

it('begins every address with PUBLIC_URL', async () => {
  const other = await startApp({ PUBLIC_URL: 'https://pets.example/api/' });
  const { body } = await other.http.get('/openapi.json');
  expect(body.servers).toMatchObject([{ url: 'https://pets.example/api' }]);
  const created = await other.http.post('/v1/pet').send({ name: 'Rex' });
  expect(created.headers.location).toBe('https://pets.example/api/v1/pet/1');
  const added = await other.http.post('/v2/pet').send({ name: 'Max', photoUrls: [] });
  expect(added.headers['content-location']).toBe('https://pets.example/api/v2/pet/2');
  const { headers } = await other.http.get('/v1/pet?limit=1');
  expect(headers.link).toMatch(/^<https:\/\/pets\.example\/api\/v1\/pet\?limit=1&cursor=/);
  await other.http.post('/v2/user').send({ username: 'tess', password: 'right' }).expect(200);
  const logIn = await other.http.get('/v2/user/login?username=tess&password=right').expect(200);
  for (const cookie of logIn.headers['set-cookie'] as unknown as string[]) {
    expect(cookie).toMatch(/; Path=\/api\/v2\/user; .*; Secure/);
  }
  await other.stop();
});

/** Where two values differ, as JSON Pointers (RFC 6901). */
function differences(one: unknown, other: unknown, at = ''): string[] {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    return one === other ? [] : [at];
  }
  const [a, b] = [one, other] as Record<string, unknown>[];
  const names = new Set([...Object.keys(a!), ...Object.keys(b!)]);
  return [...names].flatMap((name) =>
    differences(a![name], b![name], `${at}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
}

it('describes every tag', async () => {
  const { body } = await running.http.get('/openapi.json').expect(200);
  const described = (body.tags as { name: string }[]).map(({ name }) => name);
  const used = Object.values<Record<string, { tags?: string[] }>>(body.paths).flatMap((item) =>
    Object.values(item).flatMap(({ tags = [] }) => tags),
  );
  const sentences = [...new Set(used)]
    .filter((tag) => !described.includes(tag))
    .map((tag) => `src/platform/openapi/document.ts does not describe the tag ${tag}: add .addTag('${tag}', …)`);
  expect(sentences).toEqual([]);
});

it('says the limits of its own settings', async () => {
  const other = await startApp({ BULK_LIMIT: '5', BODY_LIMIT_BYTES: '2048' });
  const { body } = await other.http.get('/openapi.json');
  const { description, content } = body.paths['/v2/user/createWithList'].post.requestBody;
  expect(description).toContain('2048');
  expect(content['application/json'].schema.maxItems).toBe(5);
  await other.stop();
});

interface Row {
  status: number;
  meaning: string | undefined;
}

it('lists the problems of docs/problems.md, each with its status and meaning', () => {
  const rows = [...project('docs/problems.md').matchAll(/^\| `(\/\S+)` +\| (\d+) +\| (.*?) +\|$/gm)];
  const written = new Map<string, Row>(
    rows.map(([, type, status, meaning]) => [type!, { status: Number(status), meaning }]),
  );
  const examples = [...JSON.stringify(document).matchAll(/"value":(\{"type":"\/problems[^}]*\})/g)];
  const rowOf = (type: string, { status, meaning }: Row) => `| \`${type}\` | ${status} | ${meaning} |`;
  const sentences = examples
    .map(([, example]) => JSON.parse(example!) as { type: string; status: number; detail: string })
    .map(({ type, status, detail }) => rowOf(type, { status, meaning: detail }))
    .filter((row) => ![...written].some(([type, known]) => rowOf(type, known) === row))
    .map((row) => `docs/problems.md has no such row, or another one for this type: ${row}`);
  expect([...new Set(sentences)]).toEqual([]);
  expect([...written.keys()].sort()).toEqual(document.components.schemas.Problem.properties.type.enum);
});

it('leads a browser from / to the page, and gives a program an index', async () => {
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  const { headers } = await running.http.get('/').set('Accept', browser).expect(302);
  expect(headers).toMatchObject({ location: 'docs', vary: 'Accept' });
  for (const accept of ['*/*', 'application/json', '']) {
    const { body } = await running.http.get('/').set('Accept', accept).expect(200);
    await running.http.get(`/${body.documentation}`).expect(200);
    await running.http.get(`/${body.openapi}`).expect(200);
  }
});

it('has a page that takes everything from the service itself', async () => {
  const { text, headers } = await running.http.get('/docs').expect(200);
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
  expect(headers).toMatchObject({ 'x-frame-options': 'SAMEORIGIN', 'cross-origin-opener-policy': 'same-origin' });
  expect(headers).not.toHaveProperty('strict-transport-security');
  const { text: withSlash } = await running.http.get('/docs/').expect(200);
  const partsOf = (page: string) => [...page.matchAll(/(?:src|href)="([^#].*?)"/g)].map(([, address]) => address!);
  const parts = partsOf(text).map((address) => `/${address}`);
  expect(partsOf(withSlash)).toEqual(partsOf(text).map((address) => `../${address}`));
  expect(parts).toHaveLength(7);
  for (const part of parts) {
    await running.http.get(part).expect(200);
    await running.http.head(part).expect(200);
  }
});

describe("the page's document", () => {
  interface Described {
    summary: string;
    security?: object[];
    parameters?: { name: string; in: string }[];
    responses: Record<string, object>;
  }
  const operationsOf = (paths: Record<string, Record<string, Described>>) =>
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
    );

  it.each<Record<string, string>>([{}, { PET_CREATION: 'token', PET_READING: 'closed', USER_CREATION: 'token' }])(
    'has a padlock where a token is required, and nowhere else, under %j',
    async (settings) => {
      const other = await startApp(settings);
      const { body } = await other.http.get('/docs/document.json').expect(200);
      for (const { path, method, security = [], summary } of operationsOf(body.paths)) {
        const { status } = await other.http[method as 'get'](path.replace(/\{\w+\}/, '1'));
        expect({ path, method, padlock: JSON.stringify(security) === '[{"bearer":[]}]' }).toEqual({
          path,
          method,
          padlock: status === 401,
        });
        expect(summary.endsWith('(closed by the operator)')).toBe(status === 403);
      }
      await other.stop();
    },
  );

  it('asks for nothing that a browser cannot send', async () => {
    const { body } = await running.http.get('/docs/document.json');
    const asked = operationsOf(body.paths).flatMap(({ parameters = [] }) => parameters);
    // https://fetch.spec.whatwg.org/#forbidden-request-header
    const forbidden =
      /^(accept-(charset|encoding)|connection|content-length|cookie2?|date|dnt|expect|host|origin|referer)$/i;
    expect(asked.filter(({ name, in: place }) => place === 'cookie' || forbidden.test(name))).toEqual([]);
    expect(Object.keys(body.components.securitySchemes)).toEqual(['bearer']);
  });

  it('tells what operations share only once, on the page itself', async () => {
    const { body } = await running.http.get('/docs/document.json');
    const { text } = await running.http.get('/docs');
    // An upload has a 415 and a 501 of its own.
    const others = operationsOf(body.paths).filter(({ path }) => !path.endsWith('/uploadImage'));
    const statuses = others.flatMap(({ responses }) => Object.keys(responses));
    for (const status of ['408', '413', '415', '431', '500', '501', '503', '504']) {
      expect(statuses).not.toContain(status);
      expect(text).toContain(`<td>${status}</td>`);
    }
  });

  it('speaks of users before pets', async () => {
    const { body } = await running.http.get('/docs/document.json');
    expect(body.tags.map(({ name }: { name: string }) => name).slice(0, 2)).toEqual(['user', 'pet']);
  });
});

it.each(['/docs//', '/docs/package.json', '/docs/..%2fpackage.json', '/openapi.yaml'])(
  'has nothing at %s',
  async (path) => {
    await running.http.get(path).expect(404);
  },
);
