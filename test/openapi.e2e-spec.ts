import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { startApp, type RunningApp } from './support/start-app';

const project = (file: string) => readFileSync(resolve(__dirname, '..', file), 'utf8');
const document = JSON.parse(project('openapi.json'));

let running: RunningApp;
beforeAll(async () => (running = await startApp()));
afterAll(() => running.stop());

it('serves the document that is in the repository; npm run openapi renews that', async () => {
  const { body, headers } = await running.http.get('/openapi.json').expect(200);
  expect(headers['content-type']).toMatch('application/json');
  expect(differences(body, document).map((at) => `openapi.json is stale at ${at}: npm run openapi`)).toEqual([]);
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
    .map((tag) => `src/openapi/document.ts does not describe the tag ${tag}: add .addTag('${tag}', …)`);
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
    const statuses = operationsOf(body.paths).flatMap(({ responses }) => Object.keys(responses));
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
