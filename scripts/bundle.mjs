// The last part of npm run build: puts what tsc wrote and the packages that it uses into one file, and has V8 compile
// it. A start would look for two thousand files otherwise, and compile each. src/common/bundle.ts runs the file.
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin, SourceMap } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { transformSync } from '@swc/core';

const ENTRY = resolve('dist/commands/index.js');
const BUNDLE = resolve('dist/bundle/program.js');

/** With native code, for one system and one Node: loaded from their own folders. */
const NATIVE = new Set(['@node-rs/argon2', 'better-sqlite3', 'better-sqlite3-napi']);

/** TypeORM requires its drivers for all databases; that of SQLite builds on sqlite-abstract. */
const UNUSED = /typeorm.driver.(?!better-sqlite3|sqlite-abstract|postgres|types)[^\\/]+[\\/]/;

/** Nest has dates of its own logger, which nobody uses here, formatted from the start: ICU takes 30 ms and 7 MiB. */
const EAGER_FORMAT = /const dateTimeFormatter = (new Intl\.DateTimeFormat\([^;]*\));/;

/** In the order of their numbers, the entry first. */
const modules = [];
const numbers = new Map();

/** The number of a module, which is added with all that it requires. */
function numberOf(file) {
  if (!numbers.has(file)) {
    numbers.set(file, modules.length);
    const module = read(file);
    modules.push(module);
    module.text = link(module.text, createRequire(file));
  }
  return numbers.get(file);
}

/** A file as CommonJS without comments, and of each of its lines the source and the line there. */
function read(file) {
  const name = nameOf(file);
  const content = readFileSync(file, 'utf8').replace(
    EAGER_FORMAT,
    'const dateTimeFormatter = { format: (date) => $1.format(date) };',
  );
  if (file.endsWith('.json')) {
    return { name, text: `module.exports = ${content}`, lines: [] };
  }
  if (UNUSED.test(name)) {
    return { name, text: '', lines: [] };
  }
  const { code, map } = transformSync(content, {
    filename: file,
    configFile: false,
    swcrc: false,
    isModule: isModule(file) ? true : 'commonjs',
    module: { type: 'commonjs' },
    jsc: {
      target: 'es2022',
      parser: { syntax: 'ecmascript' },
      minify: { compress: false, mangle: false, format: { comments: false } },
    },
    // That of tsc leads on to its source.
    inputSourceMap: !name.startsWith('node_modules'),
    sourceMaps: true,
  });
  return { name, text: code, lines: mapped(code, map, (source) => nameOf(resolve(dirname(file), source))) };
}

function mapped(text, map, sourceOf) {
  const sources = new SourceMap(JSON.parse(map));
  return text.split('\n').map((line, n) => {
    const origin = sources.findEntry(n, line.length);
    return 'originalSource' in origin ? [sourceOf(origin.originalSource), origin.originalLine + 1] : undefined;
  });
}

/** Where it stands in the checkout; a package may stand elsewhere once this is installed. */
const nameOf = (file) => /[\\/](node_modules[\\/].*)/.exec(file)?.[1] ?? relative('.', file);

function isModule(file) {
  if (/\.[cm]js$/.test(file)) {
    return file.endsWith('.mjs');
  }
  const folder = dirname(file);
  const manifest = join(folder, 'package.json');
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).type === 'module' : isModule(folder);
}

/** Puts numbers in the place of names. What cannot be found is optional, and looked for again at run time. */
function link(text, require) {
  return text.replace(/\brequire\((['"])([^'"\n]+)\1\)/g, (call, _quote, name) => {
    if (isBuiltin(name) || NATIVE.has(name)) {
      return call;
    }
    try {
      return `require(${numberOf(require.resolve(name))})`;
    } catch (error) {
      if (error.code === 'MODULE_NOT_FOUND') return call;
      throw error;
    }
  });
}

/** What a bundle is given: Node's module, and the folder that the names of the modules begin in. */
const HEAD = `(function ({ createRequire, isBuiltin }, root) {
const requireBuiltin = createRequire(root + '/');
const loaded = [];
function load(number) {
  let module = loaded[number];
  if (module === undefined) {
    const [folder, name, run] = modules[number];
    const dirname = root + folder;
    const filename = dirname + name;
    module = loaded[number] = { id: filename, filename, exports: {}, loaded: false };
    try {
      run.call(module.exports, module.exports, requireFrom(filename), module, filename, dirname);
      module.loaded = true;
    } catch (error) {
      loaded[number] = undefined;
      throw error;
    }
  }
  return module.exports;
}
function requireFrom(filename) {
  let outside;
  const requireOutside = () => (outside ??= createRequire(filename));
  const require = (wanted) =>
    typeof wanted === 'number' ? load(wanted) : (isBuiltin(wanted) ? requireBuiltin : requireOutside())(wanted);
  require.resolve = (name) => requireOutside().resolve(name);
  return require;
}
const modules = [
`;
const TAIL = '];\nreturn load(0);\n})';

/** The bundle, and where its lines come from. */
function written() {
  const sources = new Map();
  const places = { sources: [], first: [], source: [], line: [] };
  let text = HEAD;
  let line = HEAD.split('\n').length;
  for (const { name, text: content, lines } of modules) {
    const [folder, base] = [dirname(name), basename(name)].map((part) => JSON.stringify(`/${part}`));
    text += `[${folder}, ${base}, function (exports, require, module, __filename, __dirname) {\n${content}\n}],\n`;
    line += 1;
    let expected;
    for (const [n, place] of lines.entries()) {
      if (place && (place[0] !== expected?.[0] || place[1] !== expected[1])) {
        if (!sources.has(place[0])) sources.set(place[0], sources.size);
        places.first.push(line + n);
        places.source.push(sources.get(place[0]));
        places.line.push(place[1]);
      }
      expected = place ? [place[0], place[1] + 1] : expected && [expected[0], expected[1] + 1];
    }
    line += content.split('\n').length + 1;
  }
  return { text: ascii(text + TAIL), places: { ...places, sources: [...sources.keys()] } };
}

/** One byte a character in memory. A backslash before such a character would change its meaning: so far there is none. */
function ascii(text) {
  if (/\\[^\0-\x7f]/.test(text)) throw new Error('A backslash stands before a character that is not ASCII.');
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Serves once from the bundle, and keeps what was compiled for that. */
async function compile() {
  const { Bundle } = await import('../dist/common/bundle.js');
  const folder = mkdtempSync(join(tmpdir(), 'pet-user-service-'));
  try {
    const bundle = new Bundle(BUNDLE);
    const port = await freePort();
    const settings = { DATABASE_URL: `sqlite:${folder}/pets.sqlite`, PORT: String(port), LOG_LEVEL: 'silent' };
    const ended = bundle.run().runCommandLine(['serve'], settings);
    if (await Promise.race([firstAnswer(port), ended.then(() => false)])) {
      process.kill(process.pid, 'SIGTERM');
      await ended;
      // Serving sets it; the next start begins without, and V8 takes no cache that was made under other flags.
      setFlagsFromString('--heap-growing-percent=0');
      writeFileSync(`${BUNDLE}.cache`, bundle.toCache());
    } else {
      console.error('The service does not start here; the program is built without what V8 would have compiled.');
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function firstAnswer(port) {
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/health/live`).catch(() => undefined);
    if (answer?.ok) {
      return true;
    }
    await sleep(5);
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}

numberOf(ENTRY);
const { text, places } = written();
mkdirSync(dirname(BUNDLE), { recursive: true });
writeFileSync(BUNDLE, text);
writeFileSync(`${BUNDLE}.places`, JSON.stringify(places));
await compile();
process.exit();
