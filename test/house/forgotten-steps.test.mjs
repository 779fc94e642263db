// A module is made in a copy of the project, and one step at a time is undone, as if it had been forgotten: a check has
// to fail, and to say in which file, and what to do.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, afterEach, before, test } from 'node:test';
import { scratchCopy } from '../support/scratch-copy.mjs';
import { server } from '../support/server-database.mjs';

const copy = scratchCopy(after);
const bin = (name, args, env) => copy.run(`node_modules/.bin/${name}`, args, env);
const swc = (...args) => copy.run(process.execPath, ['-r', '@swc-node/register', ...args]);
const suite = (name, env) => bin('jest', [`test/${name}.e2e`, '--selectProjects', 'e2e'], env);

/** What npm run openapi does, without a build. */
const DOCUMENT = `
  const config = require('./src/platform/config').loadConfig({});
  const { openApiDocument } = require('./src/platform/openapi');
  require('./src/app').describeApp(config).then((app) => console.log(JSON.stringify(openApiDocument(app, config))));`;
const renewDocument = () => copy.replace('openapi.json', /^[^]*$/, () => swc('-e', DOCUMENT).stdout);

let migration;
before(() => {
  const { status, said } = swc('scripts/new/new.ts', 'shelter');
  assert.equal(status, 0, said);
  migration = `src/platform/database/migrations/${readdirSync(copy.at('src/platform/database/migrations')).at(-1)}`;
});
afterEach(() => copy.restore());

const CONTROLLER = 'src/shelter/shelter.v1.controller.ts';

/** What is forgotten, how, the check that reports it, and its message. */
const steps = [
  {
    step: 'the door',
    forget: () => copy.remove('src/shelter/index.ts'),
    check: 'npm run walls',
    run: () => bin('depcruise', ['src']),
    says: /src\/shelter\/ has no door: add src\/shelter\/index\.ts, which exports what others may use/,
  },
  {
    step: 'the door of another room',
    forget: () =>
      copy.replace(
        'src/shelter/shelter.service.ts',
        "'../platform/idempotency'",
        "'../platform/idempotency/idempotency-store'",
      ),
    check: 'npm run walls',
    run: () => bin('depcruise', ['-T', 'err-long', 'src']),
    says: /through-the-door: src\/shelter\/shelter\.service\.ts → src\/platform\/idempotency\/idempotency-store\.ts A room is imported by its door: export it in the index\.ts of that room/,
  },
  {
    step: 'the walls',
    forget: () => copy.replace('src/shelter/index.ts', /^/, "export { UserService } from '../user';\n"),
    check: 'npm run walls',
    run: () => bin('depcruise', ['-T', 'err-long', 'src']),
    says: /walls-of-shelter: src\/shelter\/index\.ts → src\/user\/index\.ts src\/shelter\/ may import .*: ask one of them, or allow more in \.dependency-cruiser\.cjs/,
  },
  {
    step: 'the picture',
    forget: () => copy.replace('docs/architecture.md', '  app --> shelter\n', ''),
    check: 'npm run walls',
    run: () => copy.run('npm', ['run', '--silent', 'picture', '--', '--check']),
    says: /The picture in docs\/architecture\.md is not that of the code\. Draw it again: npm run picture/,
  },
  {
    step: 'the migration',
    forget: () => {
      copy.remove(migration);
      copy.replace('src/platform/database/schema.ts', /^.*Shelters\d+.*\n/gm, '');
    },
    check: 'test/migration.e2e-spec.ts',
    run: () => suite('migration'),
    says: /src\/shelter\/shelter\.entity\.ts says what no migration makes: write one, or let npm run migration:generate -- NAME/,
  },
  {
    step: 'the list of migrations',
    forget: () => copy.replace('src/platform/database/schema.ts', /^.*Shelters\d+.*\n/gm, ''),
    check: 'test/migration.e2e-spec.ts',
    run: () => suite('migration'),
    says: /src\/platform\/database\/schema\.ts does not list Shelters\d+ of src\/platform\/database\/migrations\/\d+-shelters\.ts: add it, oldest first/,
  },
  {
    step: 'the list of entities',
    forget: () => copy.replace('src/entities.ts', /,\s*\.\.\.shelterEntities/, ''),
    check: 'test/migration.e2e-spec.ts',
    run: () => suite('migration'),
    says: /src\/entities\.ts does not list Shelter of src\/shelter\/shelter\.entity\.ts: add it to the entities in index\.ts beside it/,
  },
  {
    step: 'the list of modules',
    forget: () => copy.replace('src/app.module.ts', /ShelterModule,\s*(?=HealthModule)/, ''),
    check: 'test/routes.e2e-spec.ts',
    run: () => suite('routes'),
    says: /src\/app\.module\.ts does not import ShelterModule of src\/shelter\/shelter\.module\.ts: add it to its imports/,
  },
  {
    step: 'the list of who may call',
    forget: () => copy.replace('test/routes.e2e-spec.ts', "  'POST /v1/shelter 201 token',\n", ''),
    check: 'test/routes.e2e-spec.ts',
    run: () => suite('routes'),
    says: /test\/routes\.e2e-spec\.ts does not say 'POST \/v1\/shelter 201 token': add it, if that is who may call/,
  },
  {
    step: 'access',
    forget: () => copy.replace(CONTROLLER, "    access: 'token',\n", ''),
    check: 'npm run lint',
    run: () => bin('eslint', [CONTROLLER]),
    says: /src\/shelter\/shelter\.v1\.controller\.ts [\d:]+ error This handler does not say who may call it: add access to its @Endpoint, as in access: 'token'/,
  },
  {
    step: '@Endpoint',
    forget: () => copy.replace(CONTROLLER, /(@Delete\(.*\)\n) {2}@Endpoint\(\{[^]*?\n {2}\}\)\n/, '$1'),
    check: 'npm run lint',
    run: () => bin('eslint', [CONTROLLER]),
    says: /src\/shelter\/shelter\.v1\.controller\.ts [\d:]+ error This handler does not say who may call it: add @Endpoint\(\{ access: … \}\)/,
  },
  {
    step: '@CurrentAttempt',
    forget: () => copy.replace(CONTROLLER, /.*@CurrentAttempt.*\n/, ''),
    check: 'test/idempotency.e2e-spec.ts',
    run: () => suite('idempotency'),
    says: /ShelterV1Controller\.createShelter creates: add @CurrentAttempt, for IdempotencyStore\.once/,
  },
  {
    step: 'a problem in @Endpoint',
    forget: () => {
      copy.replace(CONTROLLER, '    problems: [SHELTER_NAME_TAKEN],\n', '');
      renewDocument();
    },
    check: 'test/shelter.e2e-spec.ts',
    run: () => suite('shelter'),
    says: /openapi\.json has no \/problems\/shelter-name-taken there: add it to problems in @Endpoint of createShelter in src\/shelter\/shelter\.v1\.controller\.ts, then: npm run openapi/,
  },
  {
    step: 'a problem in docs/problems.md',
    forget: () => copy.replace('docs/problems.md', /.*shelter-name-taken.*\n/, ''),
    check: 'test/openapi.e2e-spec.ts',
    run: () => suite('openapi'),
    says: /docs\/problems\.md has no such row, or another one for this type: \| `\/problems\/shelter-name-taken` \| 409 \| There is a shelter with this name \|/,
  },
  {
    step: 'the renewal of openapi.json',
    forget: () =>
      copy.replace('src/shelter/dto/shelter.view.ts', /name: string;/, '$&\n  @ApiProperty() city: string;'),
    check: 'test/openapi.e2e-spec.ts',
    run: () => suite('openapi'),
    says: /openapi\.json is stale at \/components\/schemas\/Shelter\/properties\/city: npm run openapi/,
  },
  {
    step: 'the tag',
    forget: () => {
      copy.replace('src/platform/openapi/document.ts', /.*addTag\('shelter'.*\n/, '');
      renewDocument();
    },
    check: 'test/openapi.e2e-spec.ts',
    run: () => suite('openapi'),
    says: /src\/platform\/openapi\/document\.ts does not describe the tag shelter: add \.addTag\('shelter', …\)/,
  },
  {
    step: 'the tests',
    forget: () => copy.remove('test/shelter.e2e-spec.ts'),
    check: 'npm test',
    run: () => suite('routes', { ANSWERS_OF: '/v1/shelter' }),
    says: /Documented answers: \d+\. Produced by no test: \d+; try them in test\/, or take them out of @Endpoint: POST \/v1\/shelter 201/,
  },
  {
    step: 'repeats in several processes',
    forget: () => copy.replace('test/repeats.e2e-spec.ts', /.*'POST \/v1\/shelter'.*\n/, ''),
    check: 'test/repeats.e2e-spec.ts on PostgreSQL',
    run: () => suite('repeats', { TEST_DATABASE_URL: server }),
    says: /test\/repeats\.e2e-spec\.ts has no request for 'POST \/v1\/shelter': add one/,
    skip: !server,
  },
];

for (const { step, forget, check, run, says, skip = false } of steps) {
  test(`${step}, when forgotten, is reported by ${check}`, { skip }, (t) => {
    forget();
    const { status, said } = run();
    assert.notEqual(status, 0, said);
    const inOneLine = said.replace(/\s+/g, ' ');
    assert.match(inOneLine, says);
    t.diagnostic(says.exec(inOneLine)[0]);
  });
}
