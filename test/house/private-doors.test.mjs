// Where src/ reaches past what a library's types show, a line says `// private: Client.processID`, and a check of that
// name in test/library-internals/ fails when an upgrade takes it away.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';

const parsing = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: console.error };
const { fileNames, options } = ts.getParsedCommandLineOfConfigFile('tsconfig.build.json', {}, parsing);

/** Each opens a door that nobody has named; the last line names what no check knows. */
const PLANTED = `import { Socket } from 'node:net';
import { RoutesResolver } from '@nestjs/core/internal';
import { DataSource, type QueryRunner } from 'typeorm';
export const resolver = RoutesResolver;
export const byCast = (source: DataSource) => (source.driver as unknown as { pool: object }).pool;
export const byMember = (source: DataSource) => (source as DataSource & { pool: object }).pool;
export const asPrototype = (runner: QueryRunner) => Object.create(runner) as object;
export const byAssign = (runner: QueryRunner) => Object.assign(runner, { connection: {} });
export const byMethod = (runner: QueryRunner) => (runner.release = () => Promise.resolve());
export const byUnderscore = (socket: Socket) => socket._read(1);
export const ofPrototype = () => Socket.prototype;
// private: Socket.nobodyChecksIt
`;
const planted = resolve('src/planted.ts');
const host = ts.createCompilerHost(options);
const { fileExists, readFile, getSourceFile } = host;
host.fileExists = (path) => path === planted || fileExists(path);
host.readFile = (path) => (path === planted ? PLANTED : readFile(path));
host.getSourceFile = (path, how) =>
  path === planted ? ts.createSourceFile(path, PLANTED, how, true) : getSourceFile(path, how);
const program = ts.createProgram([...fileNames, planted], options, host);
const checker = program.getTypeChecker();

const isOfLibrary = (symbol) =>
  symbol?.declarations?.some((one) => /\/node_modules\/(?!typescript\/)/.test(one.getSourceFile().fileName)) ?? false;
const all = (type) => (type.isUnionOrIntersection() ? type.types.flatMap(all) : [checker.getApparentType(type)]);
const typeOf = (node) => checker.getTypeAtLocation(node);
const isLibrarys = (node) =>
  all(typeOf(node)).some((type) => isOfLibrary(type.symbol) && !checker.isArrayLikeType(type));
const symbolOf = (node) => {
  const symbol = checker.getSymbolAtLocation(node);
  return symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
};

/** Whether a cast says of a library's object what its type does not. A class of ours that extends theirs may be said. */
function isBypassing(node) {
  if (!ts.isAsExpression(node) || !isLibrarys(inside(node))) {
    return false;
  }
  const known = new Set(all(typeOf(inside(node))).flatMap((type) => type.getProperties().map(({ name }) => name)));
  const to = typeOf(node);
  const added = to.getProperties().filter((member) => !known.has(member.name) && !isOfLibrary(member));
  return (
    ts.isAsExpression(node.expression) || (added.length > 0 && !to.isClass() && to.getCallSignatures().length === 0)
  );
}
const inside = ({ expression }) =>
  ts.isAsExpression(expression) || ts.isParenthesizedExpression(expression) ? inside(expression) : expression;

const isReshaping = (node) =>
  ts.isCallExpression(node) &&
  /^(Object\.(create|assign|setPrototypeOf|defineProperty)|Reflect\.deleteProperty)$/.test(node.expression.getText()) &&
  isLibrarys(node.arguments[0]);

const isMethod = (node) =>
  symbolOf(node.name)?.declarations?.some((one) => ts.isMethodSignature(one) || ts.isMethodDeclaration(one));

const isReplacing = (node) =>
  ts.isBinaryExpression(node) &&
  node.operatorToken.kind === ts.SyntaxKind.EqualsToken &&
  ts.isPropertyAccessExpression(node.left) &&
  node.left.expression.kind !== ts.SyntaxKind.ThisKeyword &&
  isMethod(node.left);

const isInner = (node) =>
  ts.isPropertyAccessExpression(node) &&
  (node.name.text === 'prototype' ? isOfLibrary(symbolOf(node.expression)) : /^_/.test(node.name.text)) &&
  isLibrarys(node.expression);

const isFromInside = (node) =>
  ts.isImportDeclaration(node) && /^'[^.].*\/(internal|cjs|dist|lib|src)[/']/.test(node.moduleSpecifier.getText());

const words = (text) => text.match(/\w+/g);
const namesIn = (text) => [...text.matchAll(/\bprivate: (.*)$/gm)].flatMap(([, names]) => names.split(', '));

/**
 * The doors of a file with what names them: the line above, one of their own, what is imported, or a name anywhere in
 * the file whose last word their first line says.
 */
function doorsIn(file) {
  const lines = file.text.split('\n');
  const lineOf = (position) => file.getLineAndCharacterOfPosition(position).line;
  const doors = [];
  const visit = (node) => {
    if ([isBypassing, isReshaping, isReplacing, isInner, isFromInside].some((is) => is(node))) {
      const first = lineOf(node.getStart());
      const near = lines.slice(Math.max(0, first - 1), lineOf(node.end) + 1).join('\n');
      const names = [
        ...namesIn(near),
        ...(ts.isImportDeclaration(node) ? words(node.importClause.getText()) : []),
        ...namesIn(file.text).filter((name) => words(lines[first]).includes(words(name).at(-1))),
      ];
      doors.push({ at: `${relative('.', file.fileName)}:${first + 1}`, text: lines[first].trim(), names });
    }
    node.forEachChild(visit);
  };
  visit(file);
  return doors;
}

const SUITES = 'test/library-internals';
const checks = readdirSync(SUITES)
  .filter((name) => name.endsWith('.spec.ts'))
  .flatMap((name) => {
    const suite = ts.createSourceFile(name, readFileSync(join(SUITES, name), 'utf8'), options.target, true);
    const calls = suite.statements.map((statement) => /** @type {any} */ (statement).expression);
    return calls
      .filter((call) => call?.expression?.getText() === 'stillThere')
      .flatMap((call) => call.arguments[1].properties.map(({ name }) => name.text));
  });
const files = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(resolve('src')));
const [sources, plants] = [files.filter((file) => file.fileName !== planted), [program.getSourceFile(planted)]];

const unnamed = (some) =>
  some
    .flatMap(doorsIn)
    .filter(({ names }) => !names.some((name) => checks.includes(name)))
    .map(({ at, text }) => `${at} reaches past a library's types; name a check of ${SUITES}, "// private: …": ${text}`);
const unchecked = (some) =>
  some
    .flatMap((file) => namesIn(file.text).map((name) => ({ name, file })))
    .filter(({ name }) => !checks.includes(name))
    .map(({ name, file }) => `${relative('.', file.fileName)} names "${name}", of which ${SUITES} has no check`);
const named = new Set(
  sources.flatMap((file) => [...namesIn(file.text), ...doorsIn(file).flatMap(({ names }) => names)]),
);

test('every private of a library that src/ touches is named where it is touched', () => {
  assert.deepEqual(unnamed(sources), []);
});

test('what is named has a check, and what is checked is named', () => {
  assert.deepEqual(unchecked(sources), []);
  assert.deepEqual(
    checks
      .filter((name) => !named.has(name))
      .map((name) => `nothing in src/ says "private: ${name}": delete its check`),
    [],
  );
});

test('each kind of door is seen', () => {
  assert.deepEqual(
    unnamed(plants).map((sentence) => Number(/:(\d+)/.exec(sentence)[1])),
    [2, 5, 6, 7, 8, 9, 10, 11],
  );
  assert.equal(unchecked(plants).length, 1);
});
