import { ModulesContainer } from '@nestjs/core';
import { Operations } from '../src/platform/http';
import { classesIn } from './support/classes-in';
import { startApp, type RunningApp } from './support/start-app';

// Whoever adds an operation writes down here who may call it.
const OPERATIONS = [
  'GET / 200 anyone',
  'DELETE /v2/pet/{petId} 200 token',
  'DELETE /v2/pet/{petId}/photos/{photoId} 200 token',
  'DELETE /v2/user/{username} 200 token',
  'GET /docs 200 anyone',
  'GET /docs/document.json 200 anyone',
  'GET /docs/{file} 200 anyone',
  'GET /health/live 200 anyone',
  'GET /health/ready 200 anyone',
  'GET /openapi.json 200 anyone',
  'GET /openapi-3.0.json 200 anyone',
  'GET /v1/pet 200 petReading',
  'GET /v1/pet/{petId} 200 petReading',
  'GET /v2/pet/findByStatus 200 petReading',
  'GET /v2/pet/findByTags 200 petReading',
  'GET /v2/pet/{petId} 200 petReading',
  'GET /v2/pet/{petId}/photos 200 petReading',
  'GET /v2/pet/{petId}/photos/{photoId} 200 petReading',
  'GET /v2/user/login 200 anyone',
  'GET /v2/user/logout 200 anyone',
  'GET /v2/user/{username} 200 token',
  'POST /v1/pet 201 petCreation',
  'POST /v2/pet 200 petCreation',
  'POST /v2/pet/{petId} 200 token',
  'POST /v2/pet/{petId}/uploadImage 200 token',
  'POST /v2/user 200 userCreation',
  'POST /v2/user/createWithArray 200 userCreation',
  'POST /v2/user/createWithList 200 userCreation',
  'POST /v2/user/login 200 anyone',
  'PUT /v2/pet 200 token',
  'PUT /v2/user/{username} 200 token',
];

let running: RunningApp;
beforeAll(async () => (running = await startApp()));
afterAll(() => running.stop());

it('has exactly the operations that are written down, each with its status and who may call it', () => {
  const { all } = Operations.of(running.app);
  const lines = all.map(({ method, template, status, access }) => `${method} ${template} ${status} ${access}`);
  const unwritten = lines.filter((line) => !OPERATIONS.includes(line));
  const unknown = OPERATIONS.filter((line) => !lines.includes(line));
  expect([
    ...unwritten.map((line) => `test/routes.e2e-spec.ts does not say '${line}': add it, if that is who may call`),
    ...unknown.map((line) => `'${line}' of test/routes.e2e-spec.ts is no operation: see @Endpoint in the controller`),
  ]).toEqual([]);
});

it('has every module', () => {
  const known = new Set<unknown>([...running.app.get(ModulesContainer).values()].map(({ metatype }) => metatype));
  const forgotten = classesIn('src', /^@Module\(/m).filter(
    (found) => /Module$/.test(found.class.name) && !known.has(found.class),
  );
  const sentences = forgotten.map(
    ({ file, class: { name } }) => `src/app.module.ts does not import ${name} of ${file}: add it to its imports`,
  );
  expect(sentences).toEqual([]);
});
