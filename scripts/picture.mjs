// npm run picture             draws the modules, and which one imports which, into docs/architecture.md
// npm run picture -- --check  only says whether the picture there is that of the code (a part of npm run check)
import { readFileSync, writeFileSync } from 'node:fs';
import { cruise } from 'dependency-cruiser';

const FILE = 'docs/architecture.md';
const PICTURE = /(<!-- Drawn from the code by npm run picture. -->\n)[^]*?(\n<!-- The picture ends here. -->)/;

/** What nearly everything imports says nothing in a picture. */
const EVERYWHERE = ['common', 'config'];

/** A folder of src/ is a module; main.ts stands for itself, and the other files beside the folders are the app. */
const moduleOf = (file) => /^src\/([^/]+)\//.exec(file)?.[1] ?? (file === 'src/main.ts' ? 'main' : 'app');

/** For each module those that it imports. */
async function readImports() {
  const { output } = await cruise(['src'], {
    tsPreCompilationDeps: true,
    includeOnly: '^src/',
    exclude: '\\.spec\\.ts$',
  });
  const { modules } = /** @type {import('dependency-cruiser').ICruiseResult} */ (output);
  const imports = new Map();
  for (const { source, dependencies } of modules) {
    const from = moduleOf(source);
    const targets = imports.get(from) ?? new Set();
    dependencies.forEach(({ resolved }) => targets.add(moduleOf(resolved)));
    imports.set(from, targets);
  }
  EVERYWHERE.forEach((name) => imports.delete(name));
  imports.forEach((targets, from) => [from, ...EVERYWHERE].forEach((name) => targets.delete(name)));
  return imports;
}

/** Whether a way of more than one arrow leads from one to the other, which a picture need not repeat. */
function isImplied(imports, from, to) {
  const reaches = (at, seen) =>
    at === to || (!seen.has(at) && [...imports.get(at)].some((next) => reaches(next, new Set([...seen, at]))));
  return [...imports.get(from)].some((next) => next !== to && reaches(next, new Set([from])));
}

function draw(imports) {
  const arrows = [...imports].flatMap(([from, targets]) =>
    [...targets].filter((to) => !isImplied(imports, from, to)).map((to) => `  ${from} --> ${to}`),
  );
  return ['```mermaid', 'flowchart TD', ...arrows.sort(), '```'].join('\n');
}

const picture = draw(await readImports());
const text = readFileSync(FILE, 'utf8');
if (!PICTURE.test(text)) {
  throw new Error(`${FILE} has no place for the picture: it stands between two comments, see scripts/picture.mjs.`);
}
const renewed = text.replace(PICTURE, (_, begin, end) => `${begin}\n${picture}\n${end}`);
if (!process.argv.includes('--check')) {
  writeFileSync(FILE, renewed);
} else if (renewed !== text) {
  console.error(`The picture in ${FILE} is not that of the code. Draw it again: npm run picture`);
  process.exitCode = 1;
}
