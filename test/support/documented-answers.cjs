// A Jest reporter: after a run of all end-to-end suites, names the answers that openapi.json documents
// and that no test produced, and fails the run if there is one. With ANSWERS_OF=/v1/pet it does so for these paths, of
// any run.
const { mkdtempSync, readdirSync, readFileSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { basename, join, resolve } = require('node:path');

const project = resolve(__dirname, '../..');

module.exports = class DocumentedAnswers {
  constructor(globalConfig) {
    this.partial = Boolean(globalConfig.testNamePattern);
    // Inherited by the workers; conformance.ts writes there.
    this.folder = process.env.ANSWERS_FOLDER = mkdtempSync(join(tmpdir(), 'answers-'));
  }

  onRunComplete(_contexts, { testResults }) {
    const produced = new Set(
      readdirSync(this.folder).flatMap((file) => readFileSync(join(this.folder, file), 'utf8').split('\n')),
    );
    rmSync(this.folder, { recursive: true });
    const run = new Set(testResults.map(({ testFilePath }) => basename(testFilePath)));
    const suites = readdirSync(join(project, 'test')).filter((file) => file.endsWith('.e2e-spec.ts'));
    const { ANSWERS_OF = '' } = process.env;
    if (ANSWERS_OF === '' && (this.partial || suites.some((suite) => !run.has(suite)))) {
      return;
    }
    const document = JSON.parse(readFileSync(join(project, 'openapi.json'), 'utf8'));
    const documented = documentedAnswers(document).filter((answer) => answer.split(' ')[1].startsWith(ANSWERS_OF));
    this.missing = documented.filter((answer) => !produced.has(answer));
    console.log(
      `Documented answers: ${documented.length}. Produced by no test: ${this.missing.length}` +
        (this.missing.length > 0 ? '; try them in test/, or take them out of @Endpoint:' : ''),
      ...this.missing.map((answer) => `\n  ${answer}`),
    );
  }

  getLastError() {
    return this.missing?.length ? new Error('documented answers without a test') : undefined;
  }
};

function documentedAnswers(document) {
  const deref = (node) =>
    node.$ref
      ? node.$ref
          .slice(2)
          .split('/')
          .reduce((at, key) => at[key], document)
      : node;
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { responses }]) =>
      Object.entries(responses).flatMap(([status, answer]) =>
        kindsOf(deref(answer)).map((kind) => `${method.toUpperCase()} ${path} ${status} ${kind}`),
      ),
    ),
  );
}

/** The problem types of an answer, else its content types, else "empty". */
function kindsOf({ content }) {
  if (!content) {
    return ['empty'];
  }
  return Object.entries(content).flatMap(([type, { examples }]) =>
    type === 'application/problem+json' ? Object.values(examples).map(({ value }) => value.type) : type,
  );
}
