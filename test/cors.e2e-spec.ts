import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { startApp } from './support/start-app';

const page = 'https://page.example';
const names = (list: string | undefined) => list?.split(/, ?/).map((name) => name.toLowerCase());

it('is off unless configured', async () => {
  const { http, stop } = await startApp();
  for (const request of [http.get('/v2/user/logout'), http.options('/v1/pet')]) {
    const { headers } = await request.set({ Origin: page, 'Access-Control-Request-Method': 'POST' });
    expect(Object.keys(headers).filter((name) => /^access-control|^vary$/.test(name))).toEqual([]);
  }
  await stop();
});

it('answers the preflight of a listed origin, with Allow as ever, and of no other', async () => {
  const { http, stop } = await startApp({ CORS_ORIGINS: `https://other.example ${page}` });
  const preflight = (origin: string) =>
    http.options('/v2/pet').set({ Origin: origin, 'Access-Control-Request-Method': 'PUT' }).expect(204);
  const { headers } = await preflight(page);
  expect(headers).toMatchObject({ 'access-control-allow-origin': page, allow: 'PUT, OPTIONS', vary: 'Origin' });
  expect(names(headers['access-control-allow-methods'])).toContain('put');
  expect(names(headers['access-control-allow-headers'])).toEqual(['authorization', 'content-type', 'x-request-id']);
  expect((await preflight('https://evil.example')).headers).not.toHaveProperty('access-control-allow-origin');
  await stop();
});

it('lets a page read every header that the OpenAPI document names, on failures too', async () => {
  const running = await startApp({ CORS_ORIGINS: '*' });
  const { paths, components } = JSON.parse(readFileSync(resolve(__dirname, '../openapi.json'), 'utf8')) as {
    paths: object;
    components: { responses: object };
  };
  const operations = Object.values(paths).flatMap((item: object) => Object.values(item) as { responses: object }[]);
  const answers = [components, ...operations].flatMap(
    ({ responses }) => Object.values(responses) as { headers?: object }[],
  );
  const documented = answers.flatMap(({ headers }) => Object.keys(headers ?? {})).map((name) => name.toLowerCase());
  const { headers } = await running.http.post('/v1/pet').set('Origin', page).send({}).expect(400);
  expect(headers['access-control-allow-origin']).toBe('*');
  expect(headers).not.toHaveProperty('access-control-allow-credentials');
  // CORS itself shows the last two to every page, and the first to none.
  const others = ['set-cookie', 'cache-control', 'content-length'];
  expect(new Set([...names(headers['access-control-expose-headers'])!, ...others])).toEqual(
    new Set([...documented, ...others]),
  );
  await running.stop();
});

it.each(['page.example', 'https://page.example/', 'https://page.example/a', 'ftp://page.example', 'null'])(
  'refuses the origin %s at the start',
  async (origin) => {
    await expect(startApp({ CORS_ORIGINS: origin })).rejects.toThrow(/CORS_ORIGINS/);
  },
);
