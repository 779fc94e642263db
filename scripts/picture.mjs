// npm run picture             draws the rooms, and which one imports which, into docs/architecture.md
// npm run picture -- --check  only says whether the picture there is that of the code (a part of npm run check)
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cruise } from 'dependency-cruiser';

const FILE = 'docs/architecture.md';
const PICTURE = /(<!-- Drawn from the code by npm run picture. -->\n)[^]*?(\n<!-- The picture ends here. -->)/;

/** What nearly everything imports says nothing in a picture. */
const EVERYWHERE = ['common', 'config', 'scheduling'];

/** A folder of src/ or of the platform is a room; main.ts stands for itself, the other files of src/ are the app. */
const roomOf = (file) => /^src\/(?:platform\/)?([^/]+)\//.exec(file)?.[1] ?? (file === 'src/main.ts' ? 'main' : 'app');

const platform = readdirSync('src/platform').filter((room) => !EVERYWHERE.includes(room));

/** For each room those that it imports. */
async function readImports() {
  const { output } = await cruise(['src'], {
    tsPreCompilationDeps: true,
    includeOnly: '^src/',
    exclude: '\\.spec\\.ts$',
  });
  const { modules } = /** @type {import('dependency-cruiser').ICruiseResult} */ (output);
  const imports = new Map();
  for (const { source, dependencies } of modules) {
    const from = roomOf(source);
    const targets = imports.get(from) ?? new Set();
    dependencies.forEach(({ resolved }) => targets.add(roomOf(resolved)));
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
  const below = ['  subgraph platform', ...platform.map((room) => `    ${room}`), '  end'];
  return ['```mermaid', 'flowchart TD', ...below, ...arrows.sort(), '```'].join('\n');
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
